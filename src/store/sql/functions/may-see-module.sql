-- Whether the user of the transaction sees a module of another user: the user has accepted it, or uses an agent of its owner
-- that shows the module to all users. Policies call this function; it runs as the owner of the tables, like may_read_agent.
CREATE FUNCTION may_see_module(owner text, asked uuid) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  RETURN me IS NOT NULL AND (
    EXISTS (SELECT FROM module_grants g WHERE g.user_id = me AND g.owner_id = owner AND g.module_id = asked AND g.is_accepted)
    OR EXISTS (
      SELECT FROM agent_modules h
      JOIN grants g ON g.user_id = me AND g.agent_id = h.agent_id AND g.owner_id = owner AND g.is_usable
      WHERE h.owner_id = owner AND h.module_id = asked AND h.user_id = owner AND h.scope = 'agent'
    )
  );
END
$$;
