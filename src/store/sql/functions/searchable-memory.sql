-- Returns what searches of the user's agent can find, as JSON (SearchableMemory). `known`: the last value read, or null.
-- The cost is independent of the amount of data: counting stops at 201, which stands for "more than 200"; the first and last
-- time are read from the ends of an index; tags are read again only if the newest passage has changed; more than 200 texts are
-- counted again only if the first one has changed. This is a function, because a statement prepares all its subqueries, and
-- most turns need only a few. Runs with its caller's rights, so the policies apply.
CREATE FUNCTION searchable_memory(me text, agent uuid, conversation uuid, known jsonb) RETURNS json LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan
SET enable_sort = off
SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  most CONSTANT int := 200;
  began timestamptz;
  first_at timestamptz;
  last_at timestamptz;
  last_before timestamptz;
  texts int := 0;
  first_passage_at timestamptz;
  last_passage_at timestamptz;
  newest uuid;
  own int := 0;
  documents int;
  tags json;
BEGIN
  SELECT m.created_at INTO first_at FROM messages m
  WHERE m.user_id = me AND m.agent_id = agent AND m.search_text IS NOT NULL ORDER BY m.created_at, m.id LIMIT 1;
  IF first_at IS NOT NULL THEN
    SELECT m.created_at INTO last_at FROM messages m
    WHERE m.user_id = me AND m.agent_id = agent AND m.search_text IS NOT NULL ORDER BY m.created_at DESC, m.id DESC LIMIT 1;
    IF (known #>> '{messages,isMore}')::boolean AND (known #>> '{messages,first}')::timestamptz = first_at THEN
      texts := most + 1;
    ELSE
      -- Ordered like the index, because without an order PostgreSQL may scan the whole table for these rows.
      SELECT count(*) INTO texts FROM (
        SELECT FROM messages m
        WHERE m.user_id = me AND m.agent_id = agent AND m.search_text IS NOT NULL AND m.on_thread
        ORDER BY m.created_at, m.id LIMIT most + 1
      ) counted;
    END IF;
    -- The beginning of the conversation is the time of its first message, because imported messages are older than the row of
    -- their conversation. Ordered, so that PostgreSQL uses the index of positions.
    SELECT m.created_at INTO began FROM messages m
    WHERE m.user_id = me AND m.conversation_id = conversation AND m.position <= 1 AND m.on_thread ORDER BY m.position LIMIT 1;
    IF began IS NULL THEN
      SELECT v.created_at INTO began FROM conversations v WHERE v.user_id = me AND v.id = conversation;
    END IF;
    began := coalesce(began, now());
    IF began > first_at THEN
      SELECT m.created_at INTO last_before FROM messages m
      WHERE m.user_id = me AND m.agent_id = agent AND m.search_text IS NOT NULL AND m.created_at < began
      ORDER BY m.created_at DESC, m.id DESC LIMIT 1;
    END IF;
  END IF;

  SELECT p.id, p.created_at INTO newest, last_passage_at FROM passages p
  WHERE p.user_id = me AND p.archive_id = agent AND p.replaced_by IS NULL ORDER BY p.created_at DESC, p.id DESC LIMIT 1;
  IF newest IS NOT NULL THEN
    SELECT p.created_at INTO first_passage_at FROM passages p
    WHERE p.user_id = me AND p.archive_id = agent AND p.replaced_by IS NULL ORDER BY p.created_at, p.id LIMIT 1;
    IF (known #>> '{passages,isMore}')::boolean AND (known #>> '{passages,first}')::timestamptz = first_passage_at THEN
      own := most + 1;
    ELSE
      SELECT count(*) INTO own FROM (
        SELECT FROM passages p WHERE p.user_id = me AND p.archive_id = agent AND p.replaced_by IS NULL
        ORDER BY p.created_at, p.id LIMIT most + 1
      ) counted;
    END IF;
  END IF;

  SELECT coalesce(sum(s.n), 0) INTO documents FROM (
    SELECT (
      SELECT count(*) FROM (
        SELECT FROM passages p WHERE p.user_id = me AND p.archive_id = s.source_id ORDER BY p.created_at, p.id LIMIT most + 1
      ) counted
    ) AS n
    FROM agent_sources s WHERE s.user_id = me AND s.agent_id = agent LIMIT 20
  ) s;

  -- A tag counts in `total`, but is not in `common`, if all its passages are external or have external sources.
  IF newest IS DISTINCT FROM (known ->> 'newestPassageId')::uuid THEN
    WITH newest AS (
      SELECT p.tags, p.trust <> 'external' AND p.external = '[]' AS is_shown FROM passages p
      WHERE p.user_id = me AND p.archive_id = agent AND p.replaced_by IS NULL ORDER BY p.created_at DESC, p.id DESC LIMIT most
    ), tagged AS (
      SELECT g.tag, count(*)::int AS count, bool_or(n.is_shown) AS is_shown
      FROM newest n, unnest(n.tags) g (tag) GROUP BY g.tag
    )
    SELECT json_build_object(
      'common', coalesce(json_agg(t) FILTER (WHERE t.tag IS NOT NULL), '[]'), 'total', (SELECT count(*)::int FROM tagged)
    ) INTO tags
    FROM (SELECT tag, count FROM tagged WHERE is_shown ORDER BY count DESC, tag LIMIT 5) t;
  END IF;

  RETURN json_build_object(
    'messages', json_build_object('count', least(texts, most), 'isMore', texts > most, 'first', first_at, 'last', last_at),
    'lastBefore', last_before,
    'passages', json_build_object('count', least(own, most), 'isMore', own > most, 'first', first_passage_at, 'last', last_passage_at),
    'newestPassageId', newest,
    'documents', json_build_object('count', least(documents, most), 'isMore', documents > most),
    'tags', tags
  );
END
$$;
