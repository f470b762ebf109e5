-- Isolation by the database: which rows the runtime's role sees and writes for the user that its transaction has set.
-- Enabled and not forced: the owner of the tables migrates, backs up and restores, and the functions below run as the owner.

-- Whether the set user may converse with an agent, for the policies. It runs as the owner, so that the policies of agents
-- and grants do not ask each other in a circle; and it is PL/pgSQL, whose plans stay in the session.
CREATE FUNCTION may_use_agent(asked uuid) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  RETURN me IS NOT NULL AND (
    EXISTS (SELECT FROM agents a WHERE a.id = asked AND a.user_id = me)
    OR EXISTS (SELECT FROM grants g WHERE g.user_id = me AND g.agent_id = asked)
  );
END
$$;
--> statement-breakpoint
CREATE FUNCTION owns_agent(asked uuid) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  RETURN me IS NOT NULL AND EXISTS (SELECT FROM agents a WHERE a.id = asked AND a.user_id = me);
END
$$;
--> statement-breakpoint
-- Grants the use of an agent to another user, who becomes known by it: the one row that is written for somebody else.
-- False when the set user does not own the agent.
CREATE FUNCTION share_agent(shared uuid, grantee text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  IF me IS NULL OR NOT owns_agent(shared) THEN
    RETURN false;
  END IF;
  IF grantee <> me THEN
    INSERT INTO users (user_id) VALUES (grantee) ON CONFLICT DO NOTHING;
    INSERT INTO grants (user_id, agent_id, owner_id) VALUES (grantee, shared, me) ON CONFLICT DO NOTHING;
  END IF;
  RETURN true;
END
$$;
--> statement-breakpoint
-- The policies. The user stands in a subquery of its own, so that it is read once a statement and can be looked up in an
-- index. A new row may only name an agent that the user may use.
DO $$
DECLARE
  me text := $me$(SELECT nullif(current_setting('palimpsest.user_id', true), ''))$me$;
  granted text := format('ANY (ARRAY(SELECT g.agent_id FROM grants g WHERE g.user_id = %s))', me);
  own text := format('user_id = %s', me);
  own_module text := format('%s AND may_use_agent(agent_id) AND (scope = ''user'' OR owns_agent(agent_id))', own);
  own_grant text := format('owner_id = %s AND owns_agent(agent_id)', me);
  isolated text;
BEGIN
  FOREACH isolated IN ARRAY ARRAY['users', 'agents', 'grants', 'modules', 'revisions', 'conversations', 'messages', 'inputs',
    'compactions', 'steps', 'tool_calls', 'passages', 'passages_512']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', isolated);
  END LOOP;

  EXECUTE format('CREATE POLICY own_rows ON users TO palimpsest_runtime USING (%1$s) WITH CHECK (%1$s)', own);

  EXECUTE format('CREATE POLICY own_rows ON agents TO palimpsest_runtime USING (%1$s) WITH CHECK (%1$s)', own);
  EXECUTE format('CREATE POLICY granted_rows ON agents FOR SELECT TO palimpsest_runtime USING (id = %s)', granted);

  EXECUTE format('CREATE POLICY owners_rows ON grants TO palimpsest_runtime USING (%1$s) WITH CHECK (%1$s)', own_grant);
  EXECUTE format('CREATE POLICY both_sides ON grants FOR SELECT TO palimpsest_runtime USING (%s OR owner_id = %s)', own, me);

  EXECUTE format('CREATE POLICY own_rows ON modules TO palimpsest_runtime USING (%s) WITH CHECK (%s)', own, own_module);
  EXECUTE format(
    'CREATE POLICY granted_rows ON modules FOR SELECT TO palimpsest_runtime USING (scope = ''agent'' AND agent_id = %s)',
    granted
  );

  FOREACH isolated IN ARRAY ARRAY['revisions', 'conversations', 'messages', 'inputs', 'compactions', 'steps', 'tool_calls',
    'passages', 'passages_512']
  LOOP
    EXECUTE format(
      'CREATE POLICY own_rows ON %I TO palimpsest_runtime USING (%s) WITH CHECK (%2$s AND may_use_agent(agent_id))',
      isolated, own
    );
  END LOOP;
END
$$;
--> statement-breakpoint
-- The searches. Text operators are not leakproof: under a policy PostgreSQL would look at every row of the table before it
-- used their index. So they run as the owner and keep to the rows of the set user themselves: without a user, or for an
-- agent that the user may not use, there is no row, not even the total.

-- A text-search query that any of a text's words satisfies; null when it holds no words but stop words. The lexemes come
-- from PostgreSQL's own parser, which quotes them; only the operators between them are replaced.
CREATE FUNCTION any_of_words(asked text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT nullif(
    regexp_replace(plainto_tsquery('english'::regconfig, asked)::text, ''' (&|<->|<[0-9]+>) ''', ''' | ''', 'g'), ''
  )::tsquery
$$;
--> statement-breakpoint
-- What was said. Matches are scanned once: a literal can stand anywhere in a word, so no index answers it, and rank and
-- total need every match anyway. Only the page is joined to the messages' content. An empty page is a row of nulls after
-- the total of all that match.
CREATE FUNCTION search_messages(
  asked_agent uuid, asked_pattern text, asked_words text, asked_fragments text, since timestamptz, until timestamptz,
  except_turn uuid, skipped int, page_size int
) RETURNS TABLE (
  total int, id uuid, parent_id uuid, turn_id uuid, role text, kind text, status text, content jsonb, "text" text,
  tokens int, created_at timestamptz
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
    WHERE m.user_id = me AND m.agent_id = asked_agent AND m.search_text IS NOT NULL AND m.on_thread
      AND (since IS NULL OR m.created_at >= since)
      AND (until IS NULL OR m.created_at < until)
      AND (except_turn IS NULL OR m.turn_id <> except_turn)
      AND (m.search_text LIKE asked_pattern OR m.words @@ asked.words OR m.search_text LIKE ANY (asked.fragments))
  ), page AS (
    SELECT * FROM matches
    ORDER BY literal DESC, rank DESC, fragments DESC, created_at DESC, id DESC
    OFFSET skipped LIMIT page_size
  )
  SELECT t.total, m.id, m.parent_id, m.turn_id, m.role, m.kind, m.status, m.content, m.text, m.tokens, m.created_at
  FROM (SELECT count(*)::int AS total FROM matches) t
  LEFT JOIN page ON true
  LEFT JOIN messages m ON m.user_id = me AND m.id = page.id
  ORDER BY page.literal DESC, page.rank DESC, page.fragments DESC, page.created_at DESC, page.id DESC;
END
$$;
--> statement-breakpoint
-- What was said in a span of time, oldest first.
CREATE FUNCTION messages_of_span(
  asked_agent uuid, since timestamptz, until timestamptz, except_turn uuid, skipped int, page_size int
) RETURNS TABLE (
  total int, id uuid, parent_id uuid, turn_id uuid, role text, kind text, status text, content jsonb, "text" text,
  tokens int, created_at timestamptz
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
    WHERE m.user_id = me AND m.agent_id = asked_agent AND m.search_text IS NOT NULL AND m.on_thread
      AND (since IS NULL OR m.created_at >= since)
      AND (until IS NULL OR m.created_at < until)
      AND (except_turn IS NULL OR m.turn_id <> except_turn)
  ), page AS (
    SELECT id, created_at FROM matches ORDER BY created_at, id OFFSET skipped LIMIT page_size
  )
  SELECT t.total, m.id, m.parent_id, m.turn_id, m.role, m.kind, m.status, m.content, m.text, m.tokens, m.created_at
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
  total int, id uuid, content text, tags jsonb, kind text, origin text, created_at timestamptz
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
  SELECT t.total, p.id, p.content, to_jsonb(p.tags), p.kind, p.origin, p.created_at
  FROM (SELECT count(*)::int AS total FROM candidates) t
  LEFT JOIN page ON true
  LEFT JOIN passages p ON p.user_id = me AND p.id = page.id
  ORDER BY page.score DESC, page.id;
END
$$;
--> statement-breakpoint
-- Names in these functions mean the same whoever calls them and whatever their search path; the schema of pgvector is on
-- it for its type and operators, and temporary tables come last. Nobody but the runtime's role (and the owner) may call.
DO $$
DECLARE
  made regprocedure;
BEGIN
  FOR made IN
    SELECT p.oid FROM pg_proc p
    WHERE p.pronamespace = current_schema()::regnamespace
      AND p.proname IN ('may_use_agent', 'owns_agent', 'share_agent', 'any_of_words', 'search_messages', 'messages_of_span',
        'search_passages')
  LOOP
    EXECUTE format(
      'ALTER FUNCTION %s SET search_path = pg_catalog, %I, %I, pg_temp',
      made,
      current_schema(),
      (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector')
    );
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', made);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO palimpsest_runtime', made);
  END LOOP;
END
$$;
--> statement-breakpoint
-- A plan for any span and any words scans all of an agent's messages: 161 ms instead of 4 for a short span of 100,000.
ALTER FUNCTION search_messages SET plan_cache_mode = force_custom_plan;
--> statement-breakpoint
ALTER FUNCTION messages_of_span SET plan_cache_mode = force_custom_plan;
--> statement-breakpoint
ALTER FUNCTION search_passages SET plan_cache_mode = force_custom_plan;
