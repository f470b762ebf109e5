-- Follows the links in later_statements from the messages `ids`, which match the search's filters, over any number of links.
-- Groups each message with the newest linked statement that matches the filters, and returns both; the statement's id is the
-- group's. The lateral queries make the planner look up links by key, however few rows it expects.
-- Not granted to the runtime's role, because it trusts the user id that its caller passes.
CREATE FUNCTION linked_statements(me text, asked_agent uuid, asked jsonb, ids uuid[])
RETURNS TABLE (id uuid, group_id uuid, created_at timestamptz) LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_nestloop = on
AS $$
#variable_conflict use_column
DECLARE
  all_branches boolean := coalesce((asked->>'all_branches')::boolean, false);
  except_turn uuid := (asked->>'except_turn')::uuid;
  since timestamptz := (asked->>'since')::timestamptz;
  until timestamptz := (asked->>'until')::timestamptz;
  said_by text := asked->>'said_by';
BEGIN
  IF cardinality(ids) = 0 OR NOT EXISTS (SELECT FROM later_statements l WHERE l.user_id = me) THEN
    RETURN;
  END IF;
  RETURN QUERY
  WITH RECURSIVE followed AS (
    SELECT i.id AS first, l.later_id AS id FROM unnest(ids) i (id)
    CROSS JOIN LATERAL (SELECT l.later_id FROM later_statements l WHERE l.user_id = me AND l.earlier_id = i.id OFFSET 0) l
    UNION
    SELECT f.first, l.later_id FROM followed f
    CROSS JOIN LATERAL (SELECT l.later_id FROM later_statements l WHERE l.user_id = me AND l.earlier_id = f.id OFFSET 0) l
  ), newest AS MATERIALIZED (
    SELECT DISTINCT ON (f.first) f.first, m.id, m.created_at
    FROM followed f CROSS JOIN LATERAL (
      SELECT m.id, m.created_at FROM messages m
      WHERE m.user_id = me AND m.id BETWEEN f.id AND f.id AND m.agent_id = asked_agent
        AND message_fits(m, all_branches, except_turn, since, until, said_by) AND NOT ends_as_question(m.search_text)
      ORDER BY m.id LIMIT 1
    ) m
    WHERE f.first <> f.id
    ORDER BY f.first, m.created_at DESC, m.id DESC
  )
  SELECT n.first, n.id, n.created_at FROM newest n
  UNION
  SELECT n.id, n.id, n.created_at FROM newest n WHERE NOT EXISTS (SELECT FROM newest o WHERE o.first = n.id);
END
$$;
