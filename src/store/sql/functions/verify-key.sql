-- Finds a key by the hash of its secret, returns its user and what it allows, and records its use at most once a minute. Runs
-- as the owner of the tables, because the user is not known before. Only a client that has the secret knows the hash, so
-- nothing is revealed to others. Returns no row for a revoked key, and for a secret that two users have.
CREATE FUNCTION verify_key(asked text) RETURNS TABLE (user_id text, key_id uuid, agent_id uuid, scope text)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  valid keys[] := ARRAY(SELECT k FROM keys k WHERE k.hash = asked AND k.revoked_at IS NULL LIMIT 2);
BEGIN
  IF cardinality(valid) <> 1 THEN
    RETURN;
  END IF;
  IF valid[1].last_used_at IS NULL OR valid[1].last_used_at < now() - interval '1 minute' THEN
    -- Does not wait for another process that records the same use.
    UPDATE keys k SET last_used_at = now()
    FROM (SELECT u.user_id, u.id FROM keys u WHERE u.user_id = valid[1].user_id AND u.id = valid[1].id FOR UPDATE SKIP LOCKED) due
    WHERE k.user_id = due.user_id AND k.id = due.id;
  END IF;
  RETURN QUERY SELECT valid[1].user_id, valid[1].id, valid[1].agent_id, valid[1].scope;
END
$$;
