-- Whether the user of the transaction owns an agent. Policies call it; it runs as the owner of the tables, like may_read_agent.
CREATE FUNCTION owns_agent(asked uuid) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  RETURN me IS NOT NULL AND EXISTS (SELECT FROM agents a WHERE a.id = asked AND a.user_id = me);
END
$$;
