-- Turns the offer of an agent to the user of the transaction into a grant; an ended grant is usable again, with its
-- conversations. Returns false without an offer or a usable grant; null if the user has a grant for another owner's agent with
-- the same id, or owns an agent with this id: the caller then rolls back, so that the offer stays.
-- If two processes accept at once, the second one waits for the deletion of the offer, and then finds the grant.
CREATE FUNCTION accept_offer(offered uuid) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
  owner text;
BEGIN
  DELETE FROM offers o WHERE o.user_id = me AND o.agent_id = offered RETURNING o.owner_id INTO owner;
  IF NOT FOUND THEN
    RETURN EXISTS (SELECT FROM grants g WHERE g.user_id = me AND g.agent_id = offered AND g.is_usable);
  END IF;
  INSERT INTO grants (user_id, agent_id, owner_id) VALUES (me, offered, owner)
  ON CONFLICT (user_id, agent_id)
    DO UPDATE SET is_usable = true, ended_at = NULL, agent_name = NULL, time_zone = NULL WHERE grants.owner_id = excluded.owner_id;
  RETURN CASE WHEN FOUND THEN true END;
END
$$;
