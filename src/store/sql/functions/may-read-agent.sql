-- Whether the set user has a grant of an agent, including an ended one: the user's data with the agent can be read. It
-- runs as the owner, so that policies do not evaluate each other recursively; it is PL/pgSQL, whose plans are cached in
-- the session.
CREATE FUNCTION may_read_agent(asked uuid) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  RETURN me IS NOT NULL AND EXISTS (SELECT FROM grants g WHERE g.user_id = me AND g.agent_id = asked);
END
$$;
