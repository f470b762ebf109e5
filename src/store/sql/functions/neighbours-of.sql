-- Returns the messages before and after a message on its thread: at most `max_count` each way, and only those of the same sitting.
-- A message that is not on the thread has no neighbours. `place` is the distance: -1 is the message before.
-- One expression without SET clauses, so that the planner inlines it. The distance in time is compared after the limit;
-- otherwise the rest of a long conversation would be read.
CREATE FUNCTION neighbours_of(message messages, max_count int, sitting interval, except_turn uuid)
RETURNS TABLE (id uuid, place int) LANGUAGE sql STABLE AS $$
  SELECT n.id, -n.place::int FROM (
    SELECT l.id, l.created_at, row_number() OVER (ORDER BY l.position DESC) AS place FROM (
      SELECT b.id, b.created_at, b.position FROM messages b
      WHERE b.user_id = (message).user_id AND b.conversation_id = (message).conversation_id AND b.position < (message).position
        AND b.on_thread AND b.search_text IS NOT NULL AND (except_turn IS NULL OR b.turn_id <> except_turn)
      ORDER BY b.position DESC LIMIT max_count
    ) l
  ) n WHERE (message).on_thread AND n.created_at >= (message).created_at - sitting
  UNION ALL
  SELECT n.id, n.place::int FROM (
    SELECT l.id, l.created_at, row_number() OVER (ORDER BY l.position) AS place FROM (
      SELECT a.id, a.created_at, a.position FROM messages a
      WHERE a.user_id = (message).user_id AND a.conversation_id = (message).conversation_id AND a.position > (message).position
        AND a.on_thread AND a.search_text IS NOT NULL AND (except_turn IS NULL OR a.turn_id <> except_turn)
      ORDER BY a.position LIMIT max_count
    ) l
  ) n WHERE (message).on_thread AND n.created_at <= (message).created_at + sitting
$$;
