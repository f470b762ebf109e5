-- Whether the set user has a grant of an agent, one that has ended included: what the user has with the agent can be read.
-- It runs as the owner, so that policies do not ask each other in a circle; it is PL/pgSQL, whose plans stay in the session.
CREATE FUNCTION may_read_agent(asked uuid) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  RETURN me IS NOT NULL AND EXISTS (SELECT FROM grants g WHERE g.user_id = me AND g.agent_id = asked);
END
$$;
