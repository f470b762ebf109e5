-- Ends another user's access to an agent: withdraws the offer and ends the grant. The owner may do this, and that user.
-- False if there was neither, and for all other users.
CREATE FUNCTION unshare_agent(shared uuid, recipient text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
  agent agents%ROWTYPE;
  is_withdrawn boolean;
BEGIN
  SELECT * INTO agent FROM agents a WHERE a.id = shared AND a.user_id <> recipient AND me IN (a.user_id, recipient);
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  DELETE FROM offers o WHERE o.user_id = recipient AND o.agent_id = shared;
  is_withdrawn := FOUND;
  RETURN end_grants(shared, recipient, agent.user_id, agent.name, agent.settings ->> 'timeZone') OR is_withdrawn;
END
$$;
