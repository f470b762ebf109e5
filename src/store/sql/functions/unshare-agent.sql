-- Ends a user's access to an agent: withdraws the offer and ends the grant. Only that user and the agent's owner may do this.
-- Returns false for anyone else, and if there was neither an offer nor a grant.
CREATE FUNCTION unshare_agent(shared uuid, recipient text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
  agent agents%ROWTYPE;
  is_any boolean := false;
BEGIN
  FOR agent IN
    SELECT a.* FROM agents a
    WHERE a.id = shared AND a.user_id <> recipient AND a.user_id IN (
      SELECT me
      UNION ALL
      SELECT g.owner_id FROM grants g WHERE me = recipient AND g.user_id = me AND g.agent_id = shared
      UNION ALL
      SELECT o.owner_id FROM offers o WHERE me = recipient AND o.user_id = me AND o.agent_id = shared
    )
  LOOP
    DELETE FROM offers o WHERE o.user_id = recipient AND o.agent_id = shared AND o.owner_id = agent.user_id;
    is_any := is_any OR FOUND;
    is_any := end_grants(shared, recipient, agent.user_id, agent.name, agent.settings ->> 'timeZone') OR is_any;
  END LOOP;
  RETURN is_any;
END
$$;
