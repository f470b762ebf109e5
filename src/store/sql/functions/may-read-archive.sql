-- Whether the user of the transaction may have rows in an archive: that of an agent for which the user has a grant, even an
-- ended one, or a source that the user owns. Policies call it, and it runs as the owner of the tables, like may_read_agent.
CREATE FUNCTION may_read_archive(asked uuid) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  RETURN me IS NOT NULL
    AND (may_read_agent(asked) OR EXISTS (SELECT FROM sources s WHERE s.user_id = me AND s.id = asked));
END
$$;
