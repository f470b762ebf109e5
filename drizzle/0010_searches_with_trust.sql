-- What was written before texts had a class: what a person or the program wrote is theirs; of all else nobody knows any more
-- what it was made from, so it keeps the lowest.
UPDATE "messages" SET "trust" = 'user' WHERE "author" IN ('user', 'runtime');
--> statement-breakpoint
UPDATE "revisions" SET "trust" = 'user' WHERE "origin" IN ('user', 'api') AND "undoes" IS NULL;
--> statement-breakpoint
UPDATE "modules" m SET "trust" = coalesce(
  (SELECT r.trust FROM revisions r
    WHERE r.user_id = m.user_id AND r.agent_id = m.agent_id AND r.label = m.label AND r.revision = m.revision),
  'user'
);
--> statement-breakpoint
UPDATE "passages" SET "trust" = 'user' WHERE "origin" IN ('user', 'api') AND "kind" <> 'document';
--> statement-breakpoint
DROP FUNCTION search_messages(uuid, text, text, text, timestamptz, timestamptz, uuid, int, int);
--> statement-breakpoint
DROP FUNCTION messages_of_span(uuid, timestamptz, timestamptz, uuid, int, int);
--> statement-breakpoint
DROP FUNCTION search_passages(
  uuid, text, text, text, text, text, text, timestamptz, timestamptz, int, int, int, float8, float8, float8
);
--> statement-breakpoint
-- What was said: on the threads of the conversations or, when all branches are asked for, also what was left behind.
-- Matches are scanned once: a literal can stand anywhere in a word, so no index answers it, and rank and total need every
-- match anyway. Only the page is joined to the messages' content. An empty page is a row of nulls after the total.
CREATE FUNCTION search_messages(
  asked_agent uuid, asked_pattern text, asked_words text, asked_fragments text, since timestamptz, until timestamptz,
  except_turn uuid, all_branches boolean, skipped int, page_size int
) RETURNS TABLE (
  total int, id uuid, parent_id uuid, turn_id uuid, role text, kind text, status text, content jsonb, "text" text,
  tokens int, trust text, created_at timestamptz
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
#variable_conflict use_column
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  IF me IS NULL OR NOT may_use_agent(asked_agent) THEN
    RETURN;
  END IF;
  RETURN QUERY
  WITH asked AS MATERIALIZED (
    SELECT any_of_words(asked_words) AS words, ARRAY(SELECT jsonb_array_elements_text(asked_fragments::jsonb)) AS fragments
  ), matches AS MATERIALIZED (
    SELECT m.id, m.created_at, m.search_text LIKE asked_pattern AS literal,
      CASE WHEN m.words @@ asked.words THEN ts_rank(m.words, asked.words) ELSE 0 END AS rank,
      CASE WHEN asked.fragments <> '{}'
        THEN (SELECT count(*) FROM unnest(asked.fragments) f WHERE m.search_text LIKE f) END AS fragments
    FROM messages m, asked
    WHERE m.user_id = me AND m.agent_id = asked_agent AND m.search_text IS NOT NULL AND (all_branches OR m.on_thread)
      AND (since IS NULL OR m.created_at >= since)
      AND (until IS NULL OR m.created_at < until)
      AND (except_turn IS NULL OR m.turn_id <> except_turn)
      AND (m.search_text LIKE asked_pattern OR m.words @@ asked.words OR m.search_text LIKE ANY (asked.fragments))
  ), page AS (
    SELECT * FROM matches
    ORDER BY literal DESC, rank DESC, fragments DESC, created_at DESC, id DESC
    OFFSET skipped LIMIT page_size
  )
  SELECT t.total, m.id, m.parent_id, m.turn_id, m.role, m.kind, m.status, m.content, m.text, m.tokens, m.trust, m.created_at
  FROM (SELECT count(*)::int AS total FROM matches) t
  LEFT JOIN page ON true
  LEFT JOIN messages m ON m.user_id = me AND m.id = page.id
  ORDER BY page.literal DESC, page.rank DESC, page.fragments DESC, page.created_at DESC, page.id DESC;
END
$$;
--> statement-breakpoint
-- What was said in a span of time, oldest first.
CREATE FUNCTION messages_of_span(
  asked_agent uuid, since timestamptz, until timestamptz, except_turn uuid, all_branches boolean, skipped int, page_size int
) RETURNS TABLE (
  total int, id uuid, parent_id uuid, turn_id uuid, role text, kind text, status text, content jsonb, "text" text,
  tokens int, trust text, created_at timestamptz
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
#variable_conflict use_column
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  IF me IS NULL OR NOT may_use_agent(asked_agent) THEN
    RETURN;
  END IF;
  RETURN QUERY
  WITH matches AS MATERIALIZED (
    SELECT m.id, m.created_at
    FROM messages m
    WHERE m.user_id = me AND m.agent_id = asked_agent AND m.search_text IS NOT NULL AND (all_branches OR m.on_thread)
      AND (since IS NULL OR m.created_at >= since)
      AND (until IS NULL OR m.created_at < until)
      AND (except_turn IS NULL OR m.turn_id <> except_turn)
  ), page AS (
    SELECT id, created_at FROM matches ORDER BY created_at, id OFFSET skipped LIMIT page_size
  )
  SELECT t.total, m.id, m.parent_id, m.turn_id, m.role, m.kind, m.status, m.content, m.text, m.tokens, m.trust, m.created_at
  FROM (SELECT count(*)::int AS total FROM matches) t
  LEFT JOIN page ON true
  LEFT JOIN messages m ON m.user_id = me AND m.id = page.id
  ORDER BY page.created_at, page.id;
END
$$;
--> statement-breakpoint
-- Archival memory, by words and by meaning in one statement. The candidates depend on the query alone, not on the page, so
-- pages do not overlap and the total is theirs. What was found by words has its similarity looked up, however small; what
-- was found by meaning alone has the floor. Each side is divided by its best, so that a weak voice cannot outvote a strong
-- one: measured, that sum ranks best.
CREATE FUNCTION search_passages(
  asked_agent uuid, asked_pattern text, asked_words text, asked_fragments text, asked_vector text, asked_embedder text,
  asked_tags text, since timestamptz, until timestamptz, skipped int, page_size int, nearest int, least_similarity float8,
  meaning_weight float8, literal_boost float8
) RETURNS TABLE (
  total int, id uuid, content text, tags jsonb, kind text, origin text, trust text, created_at timestamptz
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
#variable_conflict use_column
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  IF me IS NULL OR NOT may_use_agent(asked_agent) THEN
    RETURN;
  END IF;
  RETURN QUERY
  WITH asked AS MATERIALIZED (
    SELECT any_of_words(asked_words) AS words,
      ARRAY(SELECT jsonb_array_elements_text(asked_fragments::jsonb)) AS fragments, asked_vector::vector AS vector,
      CASE WHEN asked_tags IS NOT NULL THEN ARRAY(SELECT jsonb_array_elements_text(asked_tags::jsonb)) END AS tags
  ), allowed AS (
    SELECT p.id, p.search_text, p.words
    FROM passages p, asked
    WHERE p.user_id = me AND p.agent_id = asked_agent
      AND (asked.tags IS NULL OR p.tags && asked.tags)
      AND (since IS NULL OR p.created_at >= since)
      AND (until IS NULL OR p.created_at < until)
  ), near AS MATERIALIZED (
    SELECT v.passage_id AS id, max(1 - (v.embedding <=> asked.vector)) AS cosine
    FROM asked, passages_512 v
    WHERE asked.vector IS NOT NULL AND v.user_id = me AND v.agent_id = asked_agent
      AND (asked_embedder IS NULL OR v.embedder = asked_embedder)
      AND ((asked.tags IS NULL AND since IS NULL AND until IS NULL)
        OR EXISTS (SELECT FROM allowed WHERE allowed.id = v.passage_id))
      AND 1 - (v.embedding <=> asked.vector) >= least_similarity
    GROUP BY v.passage_id
    ORDER BY cosine DESC, v.passage_id
    LIMIT nearest
  ), lexical AS MATERIALIZED (
    SELECT a.id, coalesce(a.search_text LIKE asked_pattern, false) AS literal,
      CASE WHEN a.words @@ asked.words THEN ts_rank(a.words, asked.words) ELSE 0 END
        + CASE WHEN asked.fragments <> '{}'
            THEN (SELECT count(*) FROM unnest(asked.fragments) f WHERE a.search_text LIKE f)
              / cardinality(asked.fragments)::float8
            ELSE 0 END AS rank
    FROM allowed a, asked
    WHERE a.search_text LIKE asked_pattern OR a.words @@ asked.words OR a.search_text LIKE ANY (asked.fragments)
  ), voices AS MATERIALIZED (
    SELECT id, l.rank, l.literal, coalesce(near.cosine, (
      SELECT max(1 - (v.embedding <=> asked.vector))
      FROM asked, passages_512 v
      WHERE v.user_id = me AND v.passage_id = id AND (asked_embedder IS NULL OR v.embedder = asked_embedder)
    )) AS cosine
    FROM lexical l FULL JOIN near USING (id)
  ), candidates AS MATERIALIZED (
    SELECT id,
      coalesce(rank / nullif(max(rank) OVER (), 0), 0)
        + meaning_weight * coalesce(greatest(cosine, 0) / nullif(greatest(max(cosine) OVER (), 0), 0), 0)
        + CASE WHEN literal THEN literal_boost ELSE 0 END AS score
    FROM voices
  ), page AS (
    SELECT id, score FROM candidates ORDER BY score DESC, id OFFSET skipped LIMIT page_size
  )
  SELECT t.total, p.id, p.content, to_jsonb(p.tags), p.kind, p.origin, p.trust, p.created_at
  FROM (SELECT count(*)::int AS total FROM candidates) t
  LEFT JOIN page ON true
  LEFT JOIN passages p ON p.user_id = me AND p.id = page.id
  ORDER BY page.score DESC, page.id;
END
$$;
--> statement-breakpoint
-- As for the functions of before: names mean the same whoever calls them, and nobody but the runtime's role may call.
DO $$
DECLARE
  made regprocedure;
BEGIN
  FOR made IN
    SELECT p.oid FROM pg_proc p
    WHERE p.pronamespace = current_schema()::regnamespace
      AND p.proname IN ('search_messages', 'messages_of_span', 'search_passages')
  LOOP
    EXECUTE format(
      'ALTER FUNCTION %s SET search_path = pg_catalog, %I, %I, pg_temp',
      made,
      current_schema(),
      (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector')
    );
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', made);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO palimpsest_runtime', made);
    EXECUTE format('ALTER FUNCTION %s SET plan_cache_mode = force_custom_plan', made);
  END LOOP;
END
$$;
