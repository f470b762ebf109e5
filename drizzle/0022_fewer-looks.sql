-- As before, and written so that its plan is kept between calls: a function in SQL that has settings is planned with every call.
CREATE OR REPLACE FUNCTION any_of_terms(words text, terms text) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  all_words tsquery := plainto_tsquery('english'::regconfig, plain_words(words));
  any_word tsquery;
BEGIN
  IF numnode(all_words) = 0 THEN
    RETURN terms::tsquery;
  END IF;
  any_word := regexp_replace(all_words::text, ''' (&|<->|<[0-9]+>) ''', ''' | ''', 'g');
  RETURN CASE WHEN terms IS NULL THEN any_word ELSE any_word || terms::tsquery END;
END
$$;
--> statement-breakpoint
DROP FUNCTION nearest_vectors(text, text, uuid[], text, int, text, int, text);
--> statement-breakpoint
-- The vectors nearest to one, of what a user has in some agents' or archives' hands, with their cosines, and in the same look the
-- cosines of those that were found otherwise, `also`, which are not near for that: such an item may come twice. Unit vectors, so
-- the inner product is the cosine, and it costs a third of the division by both lengths. A few are all looked at. Of more, the
-- index is asked, if there is one; when it finds too few, because a filter leaves little, all that the filter leaves are looked at.
-- Whether there are more than a few is asked in the index's own statement, since planning another takes as long as the index.
-- So many neighbours are kept in view as find as many of the ten nearest: docs/benchmarks.md, "How the engine behaves".
-- `fitting` is SQL on the row `i` of the item, or null; its maker has quoted what stands in it.
-- Not for the runtime's role: it believes what it is told about the user.
CREATE FUNCTION nearest_vectors(
  items text, of_user text, holders uuid[], asked_vector text, width int, asked_embedder text, wanted int, fitting text,
  also uuid[] DEFAULT '{}'
) RETURNS TABLE (id uuid, cosine float8, is_near boolean) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  vectors regclass := to_regclass(quote_ident(items || '_' || width));
  holder text := CASE items WHEN 'passages' THEN 'archive_id' ELSE 'agent_id' END;
  item text := CASE items WHEN 'passages' THEN 'passage_id' ELSE 'message_id' END;
  filter text := CASE WHEN fitting IS NULL THEN ''
    ELSE format('AND EXISTS (SELECT FROM %I i WHERE i.user_id = $1 AND i.id = v.%I AND (%s))', items, item, fitting) END;
  -- Read from its text once.
  sought vector := asked_vector::vector;
  kind text;
  is_indexed boolean;
  -- Fewer are looked at one by one: measured, that is where the index begins to pay.
  few constant int := 4000;
  others text;
  in_view int;
  ids uuid[];
  cosines float8[];
  are_near boolean[];
  near_count int;
BEGIN
  IF vectors IS NULL THEN
    RETURN;
  END IF;
  SELECT format_type(a.atttypid, a.atttypmod), EXISTS (
      SELECT FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid JOIN pg_am m ON m.oid = c.relam
      WHERE x.indrelid = vectors AND m.amname = 'hnsw' AND x.indisvalid
    )
    INTO kind, is_indexed FROM pg_attribute a WHERE a.attrelid = vectors AND a.attname = 'embedding';
  others := format(
    'SELECT v.%1$I AS id, -(v.embedding <#> $3::%2$s) AS cosine, false AS is_near
     FROM %3$s v WHERE v.user_id = $1 AND v.%1$I = ANY ($6) AND v.embedder = $4',
    item, kind, vectors
  );
  IF is_indexed THEN
    in_view := (
      SELECT CASE WHEN c.reltuples > 50000 THEN 400 WHEN c.reltuples > 20000 THEN 200 ELSE 100 END FROM pg_class c WHERE c.oid = vectors
    );
    PERFORM set_config('hnsw.ef_search', greatest(in_view, wanted)::text, true);
    IF current_setting('hnsw.iterative_scan', true) IS NOT NULL THEN
      PERFORM set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.max_scan_tuples', '40000', true);
    END IF;
    EXECUTE format(
      'SELECT array_agg(f.id), array_agg(f.cosine), array_agg(f.is_near), count(*) FILTER (WHERE f.is_near)
       FROM (
         (SELECT v.%1$I AS id, 1 - (v.embedding <=> $3::%2$s) AS cosine, true AS is_near
          FROM %3$s v
          WHERE v.user_id = $1 AND v.%4$I = ANY ($2) AND v.embedder = $4 %5$s
            AND (SELECT true FROM %3$s h WHERE h.user_id = $1 AND h.%4$I = ANY ($2) OFFSET $7 LIMIT 1)
          ORDER BY v.embedding <=> $3::%2$s
          LIMIT $5)
         UNION ALL
         %6$s
       ) f',
      item, kind, vectors, holder, filter, others
    ) INTO ids, cosines, are_near, near_count USING of_user, holders, sought, asked_embedder, wanted, also, few;
    IF near_count = wanted THEN
      RETURN QUERY SELECT * FROM unnest(ids, cosines, are_near);
      RETURN;
    END IF;
  END IF;
  RETURN QUERY EXECUTE format(
    '(SELECT v.%1$I, -(v.embedding <#> $3::%2$s), true
      FROM %3$s v
      WHERE v.user_id = $1 AND v.%4$I = ANY ($2) AND v.embedder = $4 %5$s
      ORDER BY v.embedding <#> $3::%2$s, v.%1$I
      LIMIT $5)
     UNION ALL
     %6$s',
    item, kind, vectors, holder, filter, others
  ) USING of_user, holders, sought, asked_embedder, wanted, also;
END
$$;
--> statement-breakpoint
DROP FUNCTION rank_passages(text, jsonb, uuid[], float8[], uuid[], float8[], int, int);
--> statement-breakpoint
-- What words and meaning have found among passages, joined, ranked and read. What was found by words has its cosine, however small,
-- among the others'. Each side is divided by its best, so that a weak voice cannot outvote a strong one: measured, that sum ranks
-- best. Whether a passage has the query's text or identifiers is known for what words have found, and looked up for the rest.
-- Not for the runtime's role: it believes what it is told about the user.
CREATE FUNCTION rank_passages(
  me text, asked jsonb, word_ids uuid[], word_scores float8[], literals boolean[], identified boolean[], near_ids uuid[],
  near_cosines float8[], other_ids uuid[], other_cosines float8[], skipped int, page_size int
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
BEGIN
  RETURN QUERY
  WITH found AS MATERIALIZED (
    SELECT coalesce(w.id, n.id) AS id, w.place::int AS word_rank, w.score AS word_score, n.place::int AS meaning_rank, n.cosine,
      w.literal, w.identifier
    FROM unnest(word_ids, word_scores, literals, identified) WITH ORDINALITY w (id, score, literal, identifier, place)
    FULL JOIN unnest(near_ids, near_cosines) WITH ORDINALITY n (id, cosine, place) ON n.id = w.id
  ), candidates AS MATERIALIZED (
    SELECT f.id, f.word_rank, f.word_score, f.meaning_rank, coalesce(f.cosine, o.cosine) AS cosine,
      coalesce(f.literal, p.literal, false) AS literal, coalesce(f.identifier, p.identifier, false) AS identifier,
      coalesce(p.weight, 0) AS weight
    FROM found f
    LEFT JOIN unnest(other_ids, other_cosines) o (id, cosine) ON o.id = f.id
    LEFT JOIN LATERAL (
      SELECT p.search_text LIKE pattern AS literal, p.words @@ identifiers AS identifier, importance_of(p) AS weight
      FROM passages p
      WHERE (f.word_rank IS NULL OR importance_weight <> 0) AND p.user_id = me AND p.id BETWEEN f.id AND f.id
      ORDER BY p.id LIMIT 1
    ) p ON true
  ), scored AS MATERIALIZED (
    SELECT *, coalesce(word_score / nullif(max(word_score) OVER (), 0), 0)
        + meaning_weight * coalesce(greatest(cosine, 0) / nullif(greatest(max(cosine) OVER (), 0), 0), 0)
        + CASE WHEN literal THEN literal_weight WHEN identifier THEN literal_weight / 2 ELSE 0 END
        + importance_weight * weight AS score
    FROM candidates
  ), page AS (
    SELECT * FROM scored ORDER BY score DESC, id OFFSET skipped LIMIT page_size
  )
  SELECT t.total, p.id, p.content, to_jsonb(p.tags), p.kind, p.origin, p.trust, p.importance, p.created_at, p.source_id, p.source_name,
    p.place, page.score, page.word_rank, page.word_score, page.meaning_rank, page.cosine, page.literal, page.identifier, p.weight
  FROM (SELECT count(*)::int AS total FROM scored) t
  LEFT JOIN page ON true
  LEFT JOIN LATERAL (
    SELECT p.*, (SELECT s.name FROM sources s WHERE s.user_id = me AND s.id = p.source_id) AS source_name, importance_of(p) AS weight
    FROM passages p WHERE p.user_id = me AND p.id BETWEEN page.id AND page.id ORDER BY p.id LIMIT 1
  ) p ON true
  ORDER BY page.score DESC, page.id;
END
$$;
--> statement-breakpoint
-- Archival memory: the agent's own archive and those of the sources attached to it, by words and by meaning in one call. The
-- candidates depend on the query alone, not on the page, so pages do not overlap and the total is theirs. What was found by
-- meaning alone has the floor. A query none of whose terms is known is looked for as a piece of text; a literal one is nothing
-- but that. An empty page is a row of nulls after the total. What depends on how often something occurs is executed as text,
-- since that is planned with every call.
-- `asked` holds: pattern, literal, words, terms, identifiers, inner_words, vector, dimensions, embedder, floor, tags, all_tags,
-- kinds, sources, since, until, importance, word_candidates, meaning_candidates, meaning_weight, literal_weight, importance_weight.
CREATE OR REPLACE FUNCTION search_passages(asked_agent uuid, asked jsonb, skipped int, page_size int) RETURNS TABLE (
  total int, id uuid, content text, tags jsonb, kind text, origin text, trust text, importance float8, created_at timestamptz,
  source_id uuid, source_name text, place jsonb, score float8, word_rank int, word_score float8, meaning_rank int, cosine float8,
  literal boolean, identifier boolean, weight float8
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
#variable_conflict use_column
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
  archives uuid[];
  any_word tsquery;
  -- SQL on the row `i` of a passage; what it was given is quoted.
  fitting text := CASE WHEN asked ?| ARRAY['tags', 'all_tags', 'kinds', 'since', 'until', 'importance']
    THEN format('passage_fits(i, %L, %L, %L, %L, %L, %L)',
      CASE WHEN asked ? 'tags' THEN ARRAY(SELECT jsonb_array_elements_text(asked->'tags')) END,
      CASE WHEN asked ? 'all_tags' THEN ARRAY(SELECT jsonb_array_elements_text(asked->'all_tags')) END,
      CASE WHEN asked ? 'kinds' THEN ARRAY(SELECT jsonb_array_elements_text(asked->'kinds')) END,
      asked->>'since', asked->>'until', asked->>'importance') END;
  word_ids uuid[];
  word_scores float8[];
  literals boolean[];
  identified boolean[];
  near_ids uuid[] := '{}';
  near_cosines float8[] := '{}';
  other_ids uuid[] := '{}';
  other_cosines float8[] := '{}';
BEGIN
  IF me IS NULL OR NOT may_use_agent(asked_agent) THEN
    RETURN;
  END IF;
  archives := ARRAY(
    SELECT asked_agent WHERE NOT asked ? 'sources'
    UNION ALL
    SELECT s.id FROM agent_sources a JOIN sources s ON s.user_id = me AND s.id = a.source_id
    WHERE a.user_id = me AND a.agent_id = asked_agent
      AND (NOT asked ? 'sources' OR s.name IN (SELECT jsonb_array_elements_text(asked->'sources')))
  );
  IF (asked->>'literal')::boolean THEN
    RETURN QUERY EXECUTE format(
      'WITH matches AS MATERIALIZED (
         SELECT i.id, i.created_at FROM passages i
         WHERE i.user_id = $1 AND i.archive_id = ANY ($2) AND i.search_text LIKE $3
           AND (coalesce(numnode($4), 0) = 0 OR i.words @@ $4 OR length(i.search_text) > 100000) AND %s
       ), page AS (
         SELECT * FROM matches ORDER BY created_at DESC, id DESC OFFSET $5 LIMIT $6
       )
       SELECT t.total, p.id, p.content, to_jsonb(p.tags), p.kind, p.origin, p.trust, p.importance, p.created_at, p.source_id, s.name,
         p.place, $7, NULL::int, NULL::float8, NULL::int, NULL::float8, true, false, importance_of(p)
       FROM (SELECT count(*)::int AS total FROM matches) t
       LEFT JOIN page ON true
       LEFT JOIN passages p ON p.user_id = $1 AND p.id = page.id
       LEFT JOIN sources s ON s.user_id = $1 AND s.id = p.source_id
       ORDER BY page.created_at DESC, page.id DESC',
      coalesce(fitting, 'true')
    ) USING me, archives, asked->>'pattern', plainto_tsquery('english'::regconfig, nullif(asked->>'inner_words', '')), skipped,
      page_size, (asked->>'literal_weight')::float8;
    RETURN;
  END IF;
  any_word := any_of_terms(asked->>'words', asked->>'terms');
  EXECUTE format(
    'SELECT coalesce(array_agg(l.id), ''{}''), array_agg(l.score), array_agg(l.search_text LIKE $5), array_agg(l.identifier)
     FROM (
       SELECT i.id, i.search_text, %s AS identifier, ts_rank(''{0.5, 0.3, 0.5, 1}'', i.words, $3)::float8 AS score
       FROM passages i
       WHERE i.user_id = $1 AND i.archive_id = ANY ($2) AND i.words @@ $3 AND %s
       ORDER BY score DESC, i.id
       LIMIT $4
     ) l',
    CASE WHEN asked ? 'identifiers' THEN 'i.words @@ $6' ELSE 'false' END, coalesce(fitting, 'true')
  ) INTO word_ids, word_scores, literals, identified USING me, archives, any_word, (asked->>'word_candidates')::int,
    asked->>'pattern', (asked->>'identifiers')::tsquery;
  IF word_ids = '{}' THEN
    EXECUTE format(
      'SELECT coalesce(array_agg(l.id), ''{}''), array_agg(true)
       FROM (
         SELECT i.id FROM passages i
         WHERE i.user_id = $1 AND i.archive_id = ANY ($2) AND i.search_text LIKE $3 AND %s
         ORDER BY i.created_at DESC, i.id DESC
         LIMIT $4
       ) l',
      coalesce(fitting, 'true')
    ) INTO word_ids, literals USING me, archives, asked->>'pattern', (asked->>'word_candidates')::int;
  END IF;
  IF asked ? 'vector' THEN
    SELECT coalesce(array_agg(n.id ORDER BY n.cosine DESC, n.id) FILTER (WHERE n.is_near), '{}'),
      coalesce(array_agg(n.cosine ORDER BY n.cosine DESC, n.id) FILTER (WHERE n.is_near), '{}'),
      coalesce(array_agg(n.id) FILTER (WHERE NOT n.is_near), '{}'), coalesce(array_agg(n.cosine) FILTER (WHERE NOT n.is_near), '{}')
      INTO near_ids, near_cosines, other_ids, other_cosines
    FROM nearest_vectors('passages', me, archives, asked->>'vector', (asked->>'dimensions')::int, asked->>'embedder',
      (asked->>'meaning_candidates')::int, fitting, word_ids) n
    WHERE NOT n.is_near OR n.cosine >= (asked->>'floor')::float8;
  END IF;
  RETURN QUERY SELECT * FROM rank_passages(me, asked, word_ids, word_scores, literals, identified, near_ids, near_cosines,
    other_ids, other_cosines, skipped, page_size);
END
$$;
--> statement-breakpoint
-- As in 0016: names mean the same whoever calls the functions, and plans that were made over empty tables serve when they are full.
DO $$
DECLARE
  home text := current_schema();
  vectors_in text := (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector');
  made record;
BEGIN
  FOR made IN
    SELECT p.oid::regprocedure AS signature, p.proname AS name FROM pg_proc p
    WHERE p.pronamespace = home::regnamespace AND p.proname IN ('any_of_terms', 'nearest_vectors', 'rank_passages', 'search_passages')
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, %I, pg_temp', made.signature, home, vectors_in);
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', made.signature);
    IF made.name IN ('rank_passages', 'search_passages') THEN
      EXECUTE format('ALTER FUNCTION %s SET plan_cache_mode = force_generic_plan', made.signature);
      EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off', made.signature);
    END IF;
    IF made.name = 'nearest_vectors' THEN
      EXECUTE format('ALTER FUNCTION %s SET random_page_cost = 1.1', made.signature);
      EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = on', made.signature);
    END IF;
  END LOOP;
END
$$;
