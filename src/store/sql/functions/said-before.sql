-- Returns the user's newest message before a reply, in the same turn; no row if there is none. Reads only the 200 messages
-- before the reply, because a turn has only replies and tool results between the two.
-- The caller must have checked the user id, or run under the policies.
CREATE FUNCTION said_before(me text, reply uuid) RETURNS SETOF messages LANGUAGE sql STABLE
SET search_path FROM CURRENT
SET enable_seqscan = off
AS $$
  SELECT m.* FROM messages r CROSS JOIN LATERAL (
    SELECT * FROM messages m
    WHERE m.user_id = me AND m.conversation_id = r.conversation_id AND m.position BETWEEN r.position - 200 AND r.position
      AND m.turn_id = r.turn_id AND m.role = 'user' AND m.kind = 'message'
    ORDER BY m.position DESC LIMIT 1
  ) m
  WHERE r.user_id = me AND r.id = reply
$$;
