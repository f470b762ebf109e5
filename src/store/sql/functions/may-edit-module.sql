-- Whether the user of the transaction may append to or write another user's module. Policies call this function; it runs as the
-- owner of the tables, like may_read_agent.
CREATE FUNCTION may_edit_module(owner text, asked uuid) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  RETURN me IS NOT NULL AND EXISTS (
    SELECT FROM module_grants g
    WHERE g.user_id = me AND g.owner_id = owner AND g.module_id = asked AND g.is_accepted AND g.access <> 'read'
  );
END
$$;
