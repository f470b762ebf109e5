-- Accepts the modules with this id that are offered to the transaction's user. Returns false if none is offered or accepted.
CREATE FUNCTION accept_module(offered uuid) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  UPDATE module_grants g SET is_accepted = true, since = m.revision
  FROM modules m
  WHERE g.user_id = me AND g.module_id = offered AND NOT g.is_accepted AND m.user_id = g.owner_id AND m.id = g.module_id;
  RETURN EXISTS (SELECT FROM module_grants g WHERE g.user_id = me AND g.module_id = offered AND g.is_accepted);
END
$$;
