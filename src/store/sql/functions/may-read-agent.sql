-- Whether the user of the transaction has a grant for an agent, even an ended one: the user's data with it can be read.
-- Runs as the owner of the tables, so that policies do not evaluate each other recursively. The language is PL/pgSQL,
-- whose plans are cached in the session.
CREATE FUNCTION may_read_agent(asked uuid) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  RETURN me IS NOT NULL AND EXISTS (SELECT FROM grants g WHERE g.user_id = me AND g.agent_id = asked);
END
$$;
