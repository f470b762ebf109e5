-- The passage at the end of a chain of replacements; the given one if nothing replaced it. The maximum of steps is against a circle,
-- which no statement makes.
-- Not for the runtime's role: it trusts its caller about the user.
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
