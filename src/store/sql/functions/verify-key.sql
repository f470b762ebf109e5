-- The user of a key, by the hash of its secret, with what the key allows; and records its use, at most once a minute. It runs
-- as the owner, because the user is not known before. Only who has the secret has its hash, so it reveals nothing else. Nothing
-- is found for a key that is revoked, or for a secret that two users have.
CREATE FUNCTION verify_key(asked text) RETURNS TABLE (user_id text, key_id uuid, agent_id uuid, scope text)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
BEGIN
  IF (SELECT count(*) FROM keys k WHERE k.hash = asked AND k.revoked_at IS NULL) <> 1 THEN
    RETURN;
  END IF;
  -- Without waiting for another process that records the same use.
  UPDATE keys k SET last_used_at = now()
  FROM (
    SELECT u.user_id, u.id FROM keys u
    WHERE u.hash = asked AND u.revoked_at IS NULL
      AND (u.last_used_at IS NULL OR u.last_used_at < now() - interval '1 minute')
    FOR UPDATE SKIP LOCKED
  ) due
  WHERE k.user_id = due.user_id AND k.id = due.id;
  RETURN QUERY SELECT k.user_id, k.id, k.agent_id, k.scope FROM keys k WHERE k.hash = asked AND k.revoked_at IS NULL;
END
$$;
