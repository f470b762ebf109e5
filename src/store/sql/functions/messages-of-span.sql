-- Returns one page of the messages of a span of time, oldest or newest first. An empty page is one row with the total and
-- nulls. The statement is planned at every call: one plan for all spans took 161 ms instead of 4 ms for a short span of 100,000
-- messages. A plan that was made for a small table took seconds when it had 20,000 rows; the embedded engine does not replace
-- such a plan. The function runs as the owner of the tables and filters by the user of the transaction itself (ADR 7).
CREATE FUNCTION messages_of_span(
  asked_agent uuid, since timestamptz, until timestamptz, said_by text, newest_first boolean, except_turn uuid, all_branches boolean,
  skipped int, page_size int
) RETURNS TABLE (
  total int, id uuid, parent_id uuid, turn_id uuid, role text, speaker text, kind text, status text, content jsonb, "text" text,
  tokens int, trust text, created_at timestamptz
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path FROM CURRENT
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  IF me IS NULL OR NOT may_read_agent(asked_agent) THEN
    RETURN;
  END IF;
  RETURN QUERY
  WITH matches AS MATERIALIZED (
    SELECT m.id, m.created_at
    FROM messages m
    WHERE m.user_id = me AND m.agent_id = asked_agent AND message_fits(m, all_branches, except_turn, since, until, said_by)
  ), page AS (
    SELECT id, number
    FROM (
      SELECT id, row_number() OVER (ORDER BY created_at, id) * CASE WHEN newest_first THEN -1 ELSE 1 END AS number FROM matches
    ) n
    ORDER BY number OFFSET skipped LIMIT page_size
  )
  SELECT t.total, m.id, m.parent_id, m.turn_id, m.role, m.speaker, m.kind, m.status, m.content, m.text, m.tokens, m.trust, m.created_at
  FROM (SELECT count(*)::int AS total FROM matches) t
  LEFT JOIN page ON true
  LEFT JOIN messages m ON m.user_id = me AND m.id = page.id
  ORDER BY page.number;
END
$$;
