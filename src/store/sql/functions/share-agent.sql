-- Offers an agent to another user. Creates the recipient's row if necessary, so that the owner does not learn whether the user
-- existed. Makes no offer to a user who may use this agent or a third user's agent with the same id; an agent that the
-- recipient owns does not prevent the offer. Returns false if the user of the transaction does not own the agent.
CREATE FUNCTION share_agent(shared uuid, recipient text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  IF me IS NULL OR NOT owns_agent(shared) THEN
    RETURN false;
  END IF;
  INSERT INTO users (user_id) VALUES (recipient) ON CONFLICT DO NOTHING;
  INSERT INTO offers (user_id, agent_id, owner_id, agent_name)
  SELECT recipient, a.id, a.user_id, a.name
  FROM agents a
  WHERE a.user_id = me AND a.id = shared AND recipient <> me AND NOT EXISTS (
    SELECT FROM grants g WHERE g.user_id = recipient AND g.agent_id = shared AND g.owner_id <> recipient AND g.is_usable
  )
  ON CONFLICT DO NOTHING;
  RETURN true;
END
$$;
