-- Grants the use of an agent to another user, and adds that user when it is new. Returns false when the user of the transaction
-- does not own the agent. It runs as the owner of the tables because it writes a row for another user, which no policy allows.
CREATE FUNCTION share_agent(shared uuid, grantee text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  IF me IS NULL OR NOT owns_agent(shared) THEN
    RETURN false;
  END IF;
  IF grantee <> me THEN
    INSERT INTO users (user_id) VALUES (grantee) ON CONFLICT DO NOTHING;
    INSERT INTO grants (user_id, agent_id, owner_id) VALUES (grantee, shared, me) ON CONFLICT DO NOTHING;
  END IF;
  RETURN true;
END
$$;
