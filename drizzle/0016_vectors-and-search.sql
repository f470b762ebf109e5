-- Whether the set user may write to an archive: that of an agent that the user may use, or a source of the user's own.
CREATE FUNCTION may_use_archive(asked uuid) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  RETURN me IS NOT NULL
    AND (may_use_agent(asked) OR EXISTS (SELECT FROM sources s WHERE s.user_id = me AND s.id = asked));
END
$$;
--> statement-breakpoint
DO $$
DECLARE
  own text := $own$user_id = (SELECT nullif(current_setting('palimpsest.user_id', true), ''))$own$;
  isolated text;
BEGIN
  FOREACH isolated IN ARRAY ARRAY['sources', 'source_files', 'agent_sources']
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO palimpsest_runtime', isolated);
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', isolated);
  END LOOP;
  -- Whose source a file or an attachment names is settled by the foreign key, which holds for one user's rows.
  EXECUTE format('CREATE POLICY own_rows ON sources TO palimpsest_runtime USING (%1$s) WITH CHECK (%1$s)', own);
  EXECUTE format('CREATE POLICY own_rows ON source_files TO palimpsest_runtime USING (%1$s) WITH CHECK (%1$s)', own);
  EXECUTE format(
    'CREATE POLICY own_rows ON agent_sources TO palimpsest_runtime USING (%1$s) WITH CHECK (%1$s AND may_use_agent(agent_id))', own
  );
  DROP POLICY own_rows ON passages;
  EXECUTE format(
    'CREATE POLICY own_rows ON passages TO palimpsest_runtime USING (%1$s) WITH CHECK (%1$s AND may_use_archive(coalesce(agent_id, source_id)))',
    own
  );
END
$$;
--> statement-breakpoint
-- The tables of vectors of one width, for passages and for messages. The runtime's role calls it before it first uses a width, so
-- it runs as the owner; whoever comes second, also at the same time, finds them made.
-- Out of line, a vector costs one more read per row, and the planner, which does not count those, leaves the index aside: an
-- exact scan of 10,000 vectors took 2.7 to 4.6 times as long. Above 2,000 dimensions pgvector indexes half-precision numbers
-- only; the embedded engine takes five times as long to build such an index, and keeps whole ones.
CREATE FUNCTION ensure_vector_tables(width int) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  home text := (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = 'passages'::regclass);
  own text := $own$user_id = (SELECT nullif(current_setting('palimpsest.user_id', true), ''))$own$;
  is_half boolean := width > 2000 AND version() !~ 'wasm|emscripten';
  made record;
BEGIN
  IF width IS NULL OR width < 1 OR width > 16000 THEN
    RAISE EXCEPTION 'expected a width from 1 to 16000, got %', width USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF to_regclass(format('%I.%I', home, 'messages_' || width)) IS NOT NULL THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('palimpsest vector tables', width));
  FOR made IN
    SELECT * FROM (VALUES
      ('passages', 'archive_id', 'passage_id', 'may_use_archive(archive_id)'),
      ('messages', 'agent_id', 'message_id', 'may_use_agent(agent_id)')
    ) t (items, holder, item, allowed)
  LOOP
    CONTINUE WHEN to_regclass(format('%I.%I', home, made.items || '_' || width)) IS NOT NULL;
    EXECUTE format(
      'CREATE TABLE %1$I.%2$I (
        user_id text NOT NULL, %3$I uuid NOT NULL, %4$I uuid NOT NULL, embedder text NOT NULL, embedding %5$s(%6$s) NOT NULL,
        PRIMARY KEY (user_id, %4$I, embedder),
        FOREIGN KEY (user_id, %4$I) REFERENCES %1$I.%7$I (user_id, id) ON DELETE CASCADE
      )',
      home, made.items || '_' || width, made.holder, made.item, CASE WHEN is_half THEN 'halfvec' ELSE 'vector' END, width, made.items
    );
    EXECUTE format(
      'ALTER TABLE %I.%I ALTER COLUMN embedding SET STORAGE %s', home, made.items || '_' || width,
      CASE WHEN width * (CASE WHEN is_half THEN 2 ELSE 4 END) <= 7600 THEN 'PLAIN' ELSE 'EXTERNAL' END
    );
    EXECUTE format(
      'CREATE INDEX %I ON %I.%I (user_id, %I)', made.items || '_' || width || '_holder_index', home, made.items || '_' || width,
      made.holder
    );
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I.%I TO palimpsest_runtime', home, made.items || '_' || width);
    EXECUTE format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY', home, made.items || '_' || width);
    EXECUTE format(
      'CREATE POLICY own_rows ON %I.%I TO palimpsest_runtime USING (%3$s) WITH CHECK (%3$s AND %4$s)', home,
      made.items || '_' || width, own, made.allowed
    );
  END LOOP;
END
$$;
--> statement-breakpoint
-- What any of a text's words or of its other terms satisfies; null when there are none but stop words. The lexemes of words come
-- from PostgreSQL's own parser, which quotes them; only the operators between them are replaced. `terms` is a tsquery as text.
CREATE FUNCTION any_of_terms(words text, terms text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN numnode(asked.words) = 0 THEN terms::tsquery
    ELSE regexp_replace(asked.words::text, ''' (&|<->|<[0-9]+>) ''', ''' | ''', 'g')::tsquery
      || CASE WHEN terms IS NULL THEN plainto_tsquery('simple'::regconfig, '') ELSE terms::tsquery END END
  FROM (SELECT plainto_tsquery('english'::regconfig, plain_words(words)) AS words) asked
$$;
--> statement-breakpoint
DROP FUNCTION search_passages(
  uuid, text, text, text, text, text, text, timestamptz, timestamptz, int, int, int, float8, float8, float8
);
--> statement-breakpoint
-- The vectors nearest to one, of what a user has in some agents' or archives' hands, with their cosines: unit vectors, so the
-- inner product is the cosine, and it costs a third of the division by both lengths. A few are all looked at. Of more, the
-- index is asked, if there is one; when it finds too few, because a filter leaves little, all that the filter leaves are looked at.
-- Up to 50,000 vectors 200 neighbours are kept in view, and 400 of more: measured, they find as many of the ten nearest.
-- `fitting` is SQL on the row `i` of the item, or null; its maker has quoted what stands in it.
-- Not for the runtime's role: it believes what it is told about the user.
CREATE FUNCTION nearest_vectors(
  items text, of_user text, holders uuid[], asked_vector text, width int, asked_embedder text, wanted int, fitting text
) RETURNS TABLE (id uuid, cosine float8) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  vectors regclass := to_regclass(quote_ident(items || '_' || width));
  holder text := CASE items WHEN 'passages' THEN 'archive_id' ELSE 'agent_id' END;
  item text := CASE items WHEN 'passages' THEN 'passage_id' ELSE 'message_id' END;
  filter text := CASE WHEN fitting IS NULL THEN ''
    ELSE format('AND EXISTS (SELECT FROM %I i WHERE i.user_id = $1 AND i.id = v.%I AND (%s))', items, item, fitting) END;
  kind text;
  is_indexed boolean;
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
  SELECT format_type(a.atttypid, a.atttypmod), EXISTS (
      SELECT FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid JOIN pg_am m ON m.oid = c.relam
      WHERE x.indrelid = vectors AND m.amname = 'hnsw' AND x.indisvalid
    )
    INTO kind, is_indexed FROM pg_attribute a WHERE a.attrelid = vectors AND a.attname = 'embedding';
  IF is_indexed THEN
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
-- The cosines of some items' vectors with one.
CREATE FUNCTION cosines_of(items text, of_user text, ids uuid[], asked_vector text, width int, asked_embedder text)
RETURNS TABLE (id uuid, cosine float8) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  vectors regclass := to_regclass(quote_ident(items || '_' || width));
  kind text := (SELECT format_type(a.atttypid, a.atttypmod) FROM pg_attribute a WHERE a.attrelid = vectors AND a.attname = 'embedding');
BEGIN
  IF vectors IS NOT NULL AND cardinality(ids) > 0 THEN
    RETURN QUERY EXECUTE format(
      'SELECT v.%1$I, -(v.embedding <#> $3::%2$s) FROM %3$s v WHERE v.user_id = $1 AND v.%1$I = ANY ($2) AND v.embedder = $4',
      CASE items WHEN 'passages' THEN 'passage_id' ELSE 'message_id' END, kind, vectors
    ) USING of_user, ids, asked_vector, asked_embedder;
  END IF;
END
$$;
--> statement-breakpoint
-- Whether a passage is what a search was narrowed to; what is null narrows nothing. One expression, so that it is inlined.
CREATE FUNCTION passage_fits(
  p passages, any_tags text[], all_tags text[], kinds text[], since timestamptz, until timestamptz, least_importance float8
) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT (any_tags IS NULL OR (p).tags && any_tags) AND (all_tags IS NULL OR (p).tags @> all_tags)
    AND (kinds IS NULL OR (p).kind = ANY (kinds))
    AND (since IS NULL OR (p).created_at >= since) AND (until IS NULL OR (p).created_at < until)
    AND (least_importance IS NULL OR (p).importance >= least_importance)
$$;
--> statement-breakpoint
-- How important a passage is: 0.3 for how new it is, which halves in 30 days, 0.3 for the logarithm of how often it was found, and
-- 0.4 for what it was given.
CREATE FUNCTION importance_of(p passages) RETURNS float8 LANGUAGE sql STABLE AS $$
  SELECT 0.3 * power(0.5, greatest(extract(epoch FROM now() - (p).created_at)::float8, 0) / (30 * 86400))
    + 0.3 * ln((p).access_count + 1) + 0.4 * (p).importance
$$;
--> statement-breakpoint
-- What words and meaning have found among passages, joined, ranked and read. What was found by words has its cosine looked up,
-- however small. Each side is divided by its best, so that a weak voice cannot outvote a strong one: measured, that sum ranks best.
-- Not for the runtime's role: it believes what it is told about the user.
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
    FROM cosines_of('passages', me, ARRAY(SELECT unnest(word_ids) EXCEPT SELECT unnest(near_ids)), asked->>'vector',
      (asked->>'dimensions')::int, asked->>'embedder') c;
  END IF;
  RETURN QUERY
  WITH voices AS MATERIALIZED (
    SELECT id, min(word_rank) AS word_rank, min(word_score) AS word_score, min(meaning_rank) AS meaning_rank, min(cosine) AS cosine
    FROM (
      SELECT w.id, w.place::int, w.score, NULL::int, NULL::float8 FROM unnest(word_ids, word_scores) WITH ORDINALITY w (id, score, place)
      UNION ALL
      SELECT n.id, NULL, NULL, n.place::int, n.cosine FROM unnest(near_ids, near_cosines) WITH ORDINALITY n (id, cosine, place)
      UNION ALL
      SELECT o.id, NULL, NULL, NULL, o.cosine FROM unnest(other_ids, other_cosines) o (id, cosine)
    ) heard (id, word_rank, word_score, meaning_rank, cosine)
    GROUP BY id
  ), candidates AS MATERIALIZED (
    SELECT v.*, p.literal, p.identifier, p.weight
    FROM voices v CROSS JOIN LATERAL (
      SELECT coalesce(p.search_text LIKE pattern, false) AS literal, coalesce(p.words @@ identifiers, false) AS identifier,
        importance_of(p) AS weight
      FROM passages p WHERE p.user_id = me AND p.id BETWEEN v.id AND v.id ORDER BY p.id LIMIT 1
    ) p
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
    p.place, page.score, page.word_rank, page.word_score, page.meaning_rank, page.cosine, page.literal, page.identifier, page.weight
  FROM (SELECT count(*)::int AS total FROM scored) t
  LEFT JOIN page ON true
  LEFT JOIN LATERAL (
    SELECT p.*, (SELECT s.name FROM sources s WHERE s.user_id = me AND s.id = p.source_id) AS source_name
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
CREATE FUNCTION search_passages(asked_agent uuid, asked jsonb, skipped int, page_size int) RETURNS TABLE (
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
  word_ids uuid[] := '{}';
  word_scores float8[] := '{}';
  near_ids uuid[] := '{}';
  near_cosines float8[] := '{}';
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
  IF asked ? 'vector' THEN
    SELECT coalesce(array_agg(n.id), '{}'), coalesce(array_agg(n.cosine), '{}') INTO near_ids, near_cosines
    FROM nearest_vectors('passages', me, archives, asked->>'vector', (asked->>'dimensions')::int, asked->>'embedder',
      (asked->>'meaning_candidates')::int, fitting) n
    WHERE n.cosine >= (asked->>'floor')::float8;
  END IF;
  any_word := any_of_terms(asked->>'words', asked->>'terms');
  EXECUTE format(
    'SELECT coalesce(array_agg(l.id), ''{}''), coalesce(array_agg(l.score), ''{}'')
     FROM (
       SELECT i.id, ts_rank(''{0.5, 0.3, 0.5, 1}'', i.words, $3)::float8 AS score
       FROM passages i
       WHERE i.user_id = $1 AND i.archive_id = ANY ($2) AND i.words @@ $3 AND %s
       ORDER BY score DESC, i.id
       LIMIT $4
     ) l',
    coalesce(fitting, 'true')
  ) INTO word_ids, word_scores USING me, archives, any_word, (asked->>'word_candidates')::int;
  IF word_ids = '{}' THEN
    EXECUTE format(
      'SELECT coalesce(array_agg(l.id), ''{}'')
       FROM (
         SELECT i.id FROM passages i
         WHERE i.user_id = $1 AND i.archive_id = ANY ($2) AND i.search_text LIKE $3 AND %s
         ORDER BY i.created_at DESC, i.id DESC
         LIMIT $4
       ) l',
      coalesce(fitting, 'true')
    ) INTO word_ids USING me, archives, asked->>'pattern', (asked->>'word_candidates')::int;
  END IF;
  RETURN QUERY SELECT * FROM rank_passages(me, asked, word_ids, word_scores, near_ids, near_cosines, skipped, page_size);
END
$$;
--> statement-breakpoint
-- Names mean the same whoever calls the functions, and the runtime's role calls those that keep to the set user. Those that are
-- to be inlined into them have no settings of their own.
-- A search is many look-ups by key, whose plan does not depend on what the tables hold, and few statements whose plan does. The
-- latter are executed as text. The former are planned once: planning was more than half of a search, and 60 ms on the embedded
-- engine. So that a plan made over empty tables serves when they are full, none of them may scan a table, and a row is looked up in
-- a lateral query with a limit, which can only be a loop around an index, between its id and its id in the order of ids, which only
-- the index of the primary key has: over a table of one row, any index of a user's rows is as good as that.
DO $$
DECLARE
  home text := current_schema();
  vectors_in text := (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector');
  made record;
BEGIN
  FOR made IN
    SELECT p.oid::regprocedure AS signature, p.proname AS name FROM pg_proc p
    WHERE p.pronamespace = home::regnamespace
      AND p.proname IN ('may_use_archive', 'ensure_vector_tables', 'any_of_terms', 'plain_words', 'nearest_vectors', 'cosines_of',
        'passage_fits', 'importance_of', 'rank_passages', 'search_passages')
  LOOP
    IF made.name NOT IN ('plain_words', 'passage_fits', 'importance_of') THEN
      EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, %I, pg_temp', made.signature, home, vectors_in);
    END IF;
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', made.signature);
    IF made.name IN ('may_use_archive', 'ensure_vector_tables', 'search_passages', 'plain_words') THEN
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO palimpsest_runtime', made.signature);
    END IF;
    IF made.name IN ('rank_passages', 'search_passages') THEN
      EXECUTE format('ALTER FUNCTION %s SET plan_cache_mode = force_generic_plan', made.signature);
      EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off', made.signature);
    END IF;
    IF made.name IN ('nearest_vectors', 'cosines_of') THEN
      -- The planner counts a page of the index as four of the table, and took comparing all of 10,000 vectors for the shorter way
      -- (11 ms instead of 2).
      EXECUTE format('ALTER FUNCTION %s SET random_page_cost = 1.1', made.signature);
      EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = on', made.signature);
    END IF;
  END LOOP;
END
$$;
--> statement-breakpoint
SELECT ensure_vector_tables(512);
--> statement-breakpoint
INSERT INTO passages_512 (user_id, archive_id, passage_id, embedder, embedding)
SELECT user_id, agent_id, passage_id, embedder, embedding FROM vectors_of_passages;
--> statement-breakpoint
DROP TABLE vectors_of_passages;
