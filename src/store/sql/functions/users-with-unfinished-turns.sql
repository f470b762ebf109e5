-- Returns the users with turns, queued inputs or messages between agents that servers must continue. Runs as the owner of the
-- tables, because a server looks for these users before it acts for one; only their ids are revealed. `and_held`: includes
-- turns whose lease has not expired, because only the caller can know that the lease holder's process has ended.
CREATE FUNCTION users_with_unfinished_turns(and_held boolean, adoption_ms float8) RETURNS TABLE (user_id text)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
  SELECT t.user_id FROM turns t
  JOIN conversations v ON v.user_id = t.user_id AND v.id = t.conversation_id
  WHERE t.is_served AND t.stop_reason IS NULL AND v.is_open
    AND (and_held OR v.lease_expires_at IS NULL OR v.lease_expires_at <= now())
  UNION
  SELECT i.user_id FROM inputs i
  JOIN conversations v ON v.user_id = i.user_id AND v.id = i.conversation_id
  WHERE i.is_served AND i.status = 'queued' AND v.is_open AND i.waits_until <= now() + adoption_ms * interval '1 millisecond'
  UNION
  SELECT m.user_id FROM agent_messages m WHERE m.status <> 'ended'
$$;
