-- Has the nearest vectors looked for by the index where there is one. As before, but for two things. The planner counts a page of
-- the index as four of the table, and took comparing all of 10,000 vectors for the shorter way (11 ms instead of 2); the function
-- has a price of its own for it. And up to 50,000 vectors 200 neighbours are kept in view in place of 400: they find as many of the
-- ten nearest, in half the time.
CREATE OR REPLACE FUNCTION nearest_vectors(
  items text, of_user text, holders uuid[], asked_vector text, asked_embedder text, wanted int, condition text
) RETURNS TABLE (id uuid, cosine float8) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  width int := vector_dims(asked_vector::vector);
  vectors regclass := to_regclass(format('%I', items || '_' || width));
  kind text := (SELECT format_type(a.atttypid, a.atttypmod) FROM pg_attribute a WHERE a.attrelid = vectors AND a.attname = 'embedding');
  holder text := CASE items WHEN 'passages' THEN 'archive_id' ELSE 'agent_id' END;
  item text := CASE items WHEN 'passages' THEN 'passage_id' ELSE 'message_id' END;
  filter text := CASE WHEN condition IS NULL THEN ''
    ELSE format('AND EXISTS (SELECT FROM %I i WHERE i.user_id = $1 AND i.id = v.%I AND (%s))', items, item, condition) END;
  -- Fewer are looked at one by one: measured, that is where the index begins to pay.
  few constant int := 4000;
  held int;
  in_view int;
  ids uuid[];
  cosines float8[];
BEGIN
  IF vectors IS NULL THEN
    RETURN;
  END IF;
  IF EXISTS (
    SELECT FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid JOIN pg_am m ON m.oid = c.relam
    WHERE x.indrelid = vectors AND m.amname = 'hnsw' AND x.indisvalid
  ) THEN
    EXECUTE format('SELECT count(*) FROM (SELECT FROM %s v WHERE v.user_id = $1 AND v.%I = ANY ($2) LIMIT $3) few', vectors, holder)
      INTO held USING of_user, holders, few + 1;
    IF held > few THEN
      in_view := CASE WHEN (SELECT c.reltuples FROM pg_class c WHERE c.oid = vectors) > 50000 THEN 400 ELSE 200 END;
      PERFORM set_config('hnsw.ef_search', greatest(in_view, wanted)::text, true);
      IF current_setting('hnsw.iterative_scan', true) IS NOT NULL THEN
        PERFORM set_config('hnsw.iterative_scan', 'strict_order', true);
        PERFORM set_config('hnsw.max_scan_tuples', '40000', true);
      END IF;
      EXECUTE format(
        'SELECT array_agg(n.id), array_agg(1 - n.distance)
         FROM (
           SELECT v.%1$I AS id, v.embedding <=> $3::%2$s AS distance
           FROM %3$s v
           WHERE v.user_id = $1 AND v.%4$I = ANY ($2) AND v.embedder = $4 %5$s
           ORDER BY v.embedding <=> $3::%2$s
           LIMIT $5
         ) n',
        item, kind, vectors, holder, filter
      ) INTO ids, cosines USING of_user, holders, asked_vector, asked_embedder, wanted;
      IF cardinality(ids) = wanted THEN
        RETURN QUERY SELECT * FROM unnest(ids, cosines) u ORDER BY 2 DESC, 1;
        RETURN;
      END IF;
    END IF;
  END IF;
  RETURN QUERY EXECUTE format(
    'SELECT n.id, -n.product
     FROM (
       SELECT v.%1$I AS id, v.embedding <#> $3::%2$s AS product
       FROM %3$s v
       WHERE v.user_id = $1 AND v.%4$I = ANY ($2) AND v.embedder = $4 %5$s
     ) n
     ORDER BY n.product, n.id
     LIMIT $5',
    item, kind, vectors, holder, filter
  ) USING of_user, holders, asked_vector, asked_embedder, wanted;
END
$$;

--> statement-breakpoint
DO $$
BEGIN
  ALTER FUNCTION nearest_vectors(text, text, uuid[], text, text, int, text) SET random_page_cost = 1.1;
  EXECUTE format(
    'ALTER FUNCTION nearest_vectors(text, text, uuid[], text, text, int, text) SET search_path = pg_catalog, %I, %I, pg_temp',
    current_schema(),
    (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector')
  );
END
$$;
--> statement-breakpoint
-- The second half of a search: what words and meaning have found is joined, ranked and read. Its plan is the same whatever is
-- asked, so it is made once for a connection; planned with every search it took a third of the time. Not for the runtime's role:
-- it believes what it is told about the user.
CREATE FUNCTION rank_passages(
  me text, asked jsonb, word_ids uuid[], word_scores float8[], near_ids uuid[], near_cosines float8[], skipped int, page_size int
) RETURNS TABLE (
  total int, id uuid, content text, tags jsonb, kind text, origin text, trust text, importance float8, created_at timestamptz,
  source_id uuid, source_name text, place jsonb, score float8, word_rank int, word_score float8, meaning_rank int, cosine float8,
  literal boolean, identifier boolean, weight float8
) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  pattern text := asked->>'pattern';
  identifiers tsquery := (asked->>'identifiers')::tsquery;
  meaning_weight float8 := (asked->>'meaning_weight')::float8;
  literal_weight float8 := (asked->>'literal_weight')::float8;
  importance_weight float8 := (asked->>'importance_weight')::float8;
  other_ids uuid[] := '{}';
  other_cosines float8[] := '{}';
BEGIN
  IF asked ? 'vector' THEN
    SELECT coalesce(array_agg(c.id), '{}'), coalesce(array_agg(c.cosine), '{}') INTO other_ids, other_cosines
    FROM cosines_of('passages', me, ARRAY(SELECT unnest(word_ids) EXCEPT SELECT unnest(near_ids)), asked->>'vector', asked->>'embedder') c;
  END IF;
  RETURN QUERY
  WITH voices AS (
    SELECT id, word.place::int AS word_rank, word.score AS word_score, near.place::int AS meaning_rank,
      coalesce(near.cosine, other.cosine) AS cosine
    FROM unnest(word_ids, word_scores) WITH ORDINALITY word (id, score, place)
    FULL JOIN unnest(near_ids, near_cosines) WITH ORDINALITY near (id, cosine, place) USING (id)
    LEFT JOIN unnest(other_ids, other_cosines) other (id, cosine) USING (id)
  ), candidates AS MATERIALIZED (
    SELECT v.*, coalesce(p.search_text LIKE pattern, false) AS literal, coalesce(p.words @@ identifiers, false) AS identifier,
      importance_of(p) AS weight
    FROM voices v JOIN passages p ON p.user_id = me AND p.id = v.id
  ), scored AS MATERIALIZED (
    SELECT *, coalesce(word_score / nullif(max(word_score) OVER (), 0), 0)
        + meaning_weight * coalesce(greatest(cosine, 0) / nullif(greatest(max(cosine) OVER (), 0), 0), 0)
        + CASE WHEN literal THEN literal_weight WHEN identifier THEN literal_weight / 2 ELSE 0 END
        + importance_weight * weight AS score
    FROM candidates
  ), page AS (
    SELECT * FROM scored ORDER BY score DESC, id OFFSET skipped LIMIT page_size
  )
  SELECT t.total, p.id, p.content, to_jsonb(p.tags), p.kind, p.origin, p.trust, p.importance, p.created_at, p.source_id, s.name,
    p.place, page.score, page.word_rank, page.word_score, page.meaning_rank, page.cosine, page.literal, page.identifier, page.weight
  FROM (SELECT count(*)::int AS total FROM scored) t
  LEFT JOIN page ON true
  LEFT JOIN passages p ON p.user_id = me AND p.id = page.id
  LEFT JOIN sources s ON s.user_id = me AND s.id = p.source_id
  ORDER BY page.score DESC, page.id;
END
$$;
--> statement-breakpoint
-- As before, but that the ranking is a function of its own, and pieces of text are looked for only when no word is found.
CREATE OR REPLACE FUNCTION search_passages(asked_agent uuid, asked jsonb, skipped int, page_size int) RETURNS TABLE (
  total int, id uuid, content text, tags jsonb, kind text, origin text, trust text, importance float8, created_at timestamptz,
  source_id uuid, source_name text, place jsonb, score float8, word_rank int, word_score float8, meaning_rank int, cosine float8,
  literal boolean, identifier boolean, weight float8
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
#variable_conflict use_column
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
  archives uuid[];
  pattern text := asked->>'pattern';
  is_literal boolean := coalesce((asked->>'literal')::boolean, false);
  any_word tsquery := any_of_terms(asked->>'words', asked->>'terms');
  identifiers tsquery := (asked->>'identifiers')::tsquery;
  inner_words tsquery := plainto_tsquery('english'::regconfig, nullif(asked->>'inner_words', ''));
  any_tags text[] := CASE WHEN asked ? 'tags' THEN ARRAY(SELECT jsonb_array_elements_text(asked->'tags')) END;
  every_tag text[] := CASE WHEN asked ? 'all_tags' THEN ARRAY(SELECT jsonb_array_elements_text(asked->'all_tags')) END;
  kinds text[] := CASE WHEN asked ? 'kinds' THEN ARRAY(SELECT jsonb_array_elements_text(asked->'kinds')) END;
  since timestamptz := (asked->>'since')::timestamptz;
  until timestamptz := (asked->>'until')::timestamptz;
  least float8 := (asked->>'importance')::float8;
  is_narrowed boolean := asked ?| ARRAY['tags', 'all_tags', 'kinds', 'since', 'until', 'importance'];
  meaning_weight float8 := (asked->>'meaning_weight')::float8;
  literal_weight float8 := (asked->>'literal_weight')::float8;
  importance_weight float8 := (asked->>'importance_weight')::float8;
  word_ids uuid[];
  word_scores float8[];
  near_ids uuid[] := '{}';
  near_cosines float8[] := '{}';
BEGIN
  IF me IS NULL OR NOT may_use_agent(asked_agent) THEN
    RETURN;
  END IF;
  archives := ARRAY(
    SELECT asked_agent WHERE NOT asked ? 'sources'
    UNION ALL
    SELECT a.source_id FROM agent_sources a JOIN sources s ON s.user_id = me AND s.id = a.source_id
    WHERE a.user_id = me AND a.agent_id = asked_agent
      AND (NOT asked ? 'sources' OR s.name IN (SELECT jsonb_array_elements_text(asked->'sources')))
  );
  IF is_literal THEN
    RETURN QUERY
    WITH matches AS MATERIALIZED (
      SELECT p.id, p.created_at FROM passages p
      WHERE p.user_id = me AND p.archive_id = ANY (archives) AND p.search_text LIKE pattern
        AND (coalesce(numnode(inner_words), 0) = 0 OR p.words @@ inner_words OR length(p.search_text) > 100000)
        AND (NOT is_narrowed OR passage_fits(p, any_tags, every_tag, kinds, since, until, least))
    ), page AS (
      SELECT * FROM matches ORDER BY created_at DESC, id DESC OFFSET skipped LIMIT page_size
    )
    SELECT t.total, p.id, p.content, to_jsonb(p.tags), p.kind, p.origin, p.trust, p.importance, p.created_at, p.source_id, s.name,
      p.place, literal_weight, NULL::int, NULL::float8, NULL::int, NULL::float8, true, false, importance_of(p)
    FROM (SELECT count(*)::int AS total FROM matches) t
    LEFT JOIN page ON true
    LEFT JOIN passages p ON p.user_id = me AND p.id = page.id
    LEFT JOIN sources s ON s.user_id = me AND s.id = p.source_id
    ORDER BY page.created_at DESC, page.id DESC;
    RETURN;
  END IF;
  IF asked ? 'vector' THEN
    SELECT coalesce(array_agg(n.id), '{}'), coalesce(array_agg(n.cosine), '{}') INTO near_ids, near_cosines
    FROM nearest_vectors('passages', me, archives, asked->>'vector', asked->>'embedder', (asked->>'meaning_candidates')::int,
      CASE WHEN is_narrowed
        THEN format('passage_fits(i, %L, %L, %L, %L, %L, %L)', any_tags, every_tag, kinds, since, until, least) END
    ) n
    WHERE n.cosine >= (asked->>'floor')::float8;
  END IF;
  -- Planned anew for each query, since how often its words stand there decides on the way.
  SELECT coalesce(array_agg(l.id), '{}'), coalesce(array_agg(l.score), '{}') INTO word_ids, word_scores
  FROM (
    SELECT p.id, ts_rank('{0.5, 0.3, 0.5, 1}', p.words, any_word)::float8 AS score
    FROM passages p
    WHERE p.user_id = me AND p.archive_id = ANY (archives) AND p.words @@ any_word
      AND (NOT is_narrowed OR passage_fits(p, any_tags, every_tag, kinds, since, until, least))
    ORDER BY score DESC, id
    LIMIT (asked->>'word_candidates')::int
  ) l;
  IF word_ids = '{}' THEN
    SELECT coalesce(array_agg(l.id), '{}') INTO word_ids
    FROM (
      SELECT p.id FROM passages p
      WHERE p.user_id = me AND p.archive_id = ANY (archives) AND p.search_text LIKE pattern
        AND (NOT is_narrowed OR passage_fits(p, any_tags, every_tag, kinds, since, until, least))
      ORDER BY created_at DESC, id DESC
      LIMIT (asked->>'word_candidates')::int
    ) l;
  END IF;
  RETURN QUERY SELECT * FROM rank_passages(me, asked, word_ids, word_scores, near_ids, near_cosines, skipped, page_size);
END
$$;
--> statement-breakpoint
DO $$
DECLARE
  vectors_in text := (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector');
  made record;
BEGIN
  FOR made IN
    SELECT p.oid::regprocedure AS signature, p.proname AS name FROM pg_proc p
    WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN ('search_passages', 'rank_passages')
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, %I, pg_temp', made.signature, current_schema(), vectors_in);
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', made.signature);
    EXECUTE format(
      'ALTER FUNCTION %s SET plan_cache_mode = %s', made.signature,
      CASE made.name WHEN 'search_passages' THEN 'force_custom_plan' ELSE 'force_generic_plan' END
    );
  END LOOP;
  GRANT EXECUTE ON FUNCTION search_passages(uuid, jsonb, int, int) TO palimpsest_runtime;
END
$$;
