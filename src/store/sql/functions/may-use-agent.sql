-- Whether the user of the transaction may use an agent: as its owner, or by a grant. Policies call it.
-- It runs as the owner of the tables; otherwise the policies of agents and grants would call each other without end.
-- It is PL/pgSQL because a session keeps the plans of PL/pgSQL functions.
CREATE FUNCTION may_use_agent(asked uuid) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  RETURN me IS NOT NULL AND (
    EXISTS (SELECT FROM agents a WHERE a.id = asked AND a.user_id = me)
    OR EXISTS (SELECT FROM grants g WHERE g.user_id = me AND g.agent_id = asked)
  );
END
$$;
