-- Returns the passage at the end of a chain of replacements; the given one if nothing replaced it. The limit of 1000 steps
-- guards against a cycle, which no statement makes.
-- Not granted to the runtime's role, because it trusts the user id that its caller passes.
CREATE FUNCTION current_passage(me text, passage uuid) RETURNS uuid LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT
AS $$
DECLARE
  replacement uuid;
BEGIN
  FOR step IN 1..1000 LOOP
    SELECT p.replaced_by INTO replacement FROM passages p WHERE p.user_id = me AND p.id = passage;
    EXIT WHEN replacement IS NULL;
    passage := replacement;
  END LOOP;
  RETURN passage;
END
$$;
