-- What a search asks of a table of vectors is planned once for each connection: where there is little to search, planning it took
-- longer than asking. Such a plan may be made while the tables are empty, and has to serve when they are full. So it is left no
-- choice: a condition that must not lead to an index is written so that none can serve it (`IS TRUE`).

-- The statement that finds the vectors nearest to one, of what a user has in some agents' or archives' hands, with their cosines:
-- by comparing all, or by the index over the vectors. Unit vectors, so the inner product is the cosine, and it costs a third of the
-- division by both lengths; the index is of the latter.
-- $1 user, $2 holders, $3 vector, $4 its embedder, $5 how many. `filter` is SQL on the row `v`.
CREATE FUNCTION nearest_statement(items text, width int, kind text, is_exact boolean, filter text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT format(
    'SELECT coalesce(array_agg(n.id ORDER BY n.distance, n.id), ''{}''), coalesce(array_agg(%5$s ORDER BY n.distance, n.id), ''{}'')
     FROM (
       SELECT v.%1$I AS id, v.embedding %4$s $3::%2$s AS distance
       FROM %3$I v
       WHERE (v.user_id = $1) IS TRUE AND v.%7$I = ANY ($2) AND v.embedder = $4 %8$s
       ORDER BY %6$s
       LIMIT $5
     ) n',
    CASE items WHEN 'passages' THEN 'passage_id' ELSE 'message_id' END, kind, items || '_' || width,
    CASE WHEN is_exact THEN '<#>' ELSE '<=>' END, CASE WHEN is_exact THEN '-n.distance' ELSE '1 - n.distance' END,
    CASE WHEN is_exact THEN 'distance, id' ELSE 'distance' END,
    CASE items WHEN 'passages' THEN 'archive_id' ELSE 'agent_id' END, filter
  )
$$;
--> statement-breakpoint
-- Makes the function that compares all vectors of one table's, unless the holders have more than `most`, and gives the cosines of
-- what was found otherwise, `also`, which is not near for that: an item may come twice. A statement that names its table can be kept.
-- The index of holders has no more than the holder, and the primary key has no holder, so that each serves one statement only;
-- that there are more may be due to another user's archive of the same id, which costs time and nothing else.
-- Neither function is for the runtime's role: they believe what they are told about the user.
CREATE FUNCTION make_exact_scan(items text, width int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  home text := (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = 'passages'::regclass);
  name text := 'exact_scan_' || items || '_' || width;
  kind text := (
    SELECT format_type(a.atttypid, NULL) FROM pg_attribute a
    WHERE a.attrelid = to_regclass(format('%I.%I', home, items || '_' || width)) AND a.attname = 'embedding'
  );
BEGIN
  EXECUTE format(
    'CREATE OR REPLACE FUNCTION %I.%I(
       of_user text, holders uuid[], sought %s, asked_embedder text, wanted int, also uuid[], most int,
       OUT near_ids uuid[], OUT near_cosines float8[], OUT other_ids uuid[], OUT other_cosines float8[], OUT has_more boolean
     ) LANGUAGE plpgsql STABLE SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS %L',
    home, name, kind,
    format(
      'BEGIN
         IF most IS NOT NULL THEN
           has_more := EXISTS (SELECT FROM %1$I v WHERE v.%2$I = ANY (holders) OFFSET most);
         END IF;
         IF has_more IS NOT TRUE THEN
           %3$s INTO near_ids, near_cosines;
         END IF;
         SELECT coalesce(array_agg(v.%4$I), ''{}''), coalesce(array_agg(-(v.embedding <#> sought)), ''{}'') INTO other_ids, other_cosines
         FROM %1$I v
         WHERE v.user_id = of_user AND v.%4$I = ANY (also) AND v.embedder = asked_embedder;
       END',
      items || '_' || width, CASE items WHEN 'passages' THEN 'archive_id' ELSE 'agent_id' END,
      nearest_statement(items, width, kind, true, ''), CASE items WHEN 'passages' THEN 'passage_id' ELSE 'message_id' END
    )
  );
  EXECUTE format('REVOKE ALL ON FUNCTION %I.%I FROM PUBLIC', home, name);
END
$$;
--> statement-breakpoint
-- The tables of vectors of one width, for passages and for messages. The runtime's role calls it before it first uses a width, so
-- it runs as the owner; whoever comes second, also at the same time, finds them made.
-- Out of line, a vector costs one more read per row, and the planner, which does not count those, leaves the index aside: an
-- exact scan of 10,000 vectors took 2.7 to 4.6 times as long. Above 2,000 dimensions pgvector indexes half-precision numbers
-- only; the embedded engine takes five times as long to build such an index, and keeps whole ones.
CREATE OR REPLACE FUNCTION ensure_vector_tables(width int) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
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
      'CREATE INDEX %I ON %I.%I (%I)', made.items || '_' || width || '_holder_index', home, made.items || '_' || width, made.holder
    );
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I.%I TO palimpsest_runtime', home, made.items || '_' || width);
    EXECUTE format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY', home, made.items || '_' || width);
    EXECUTE format(
      'CREATE POLICY own_rows ON %I.%I TO palimpsest_runtime USING (%3$s) WITH CHECK (%3$s AND %4$s)', home,
      made.items || '_' || width, own, made.allowed
    );
    PERFORM make_exact_scan(made.items, width);
  END LOOP;
END
$$;
--> statement-breakpoint
DROP FUNCTION nearest_vectors(text, text, uuid[], text, int, text, int, text, uuid[]);
--> statement-breakpoint
-- The vectors nearest to one, the nearest first, and the cosines of what was found otherwise, `also`: see `make_exact_scan`.
-- A few are all looked at. Of more, the index is asked, if there is one; when it finds too few, because a filter leaves little, all
-- that the filter leaves are looked at.
-- So many neighbours are kept in view as find as many of the ten nearest: docs/benchmarks.md, "How the engine behaves".
-- `fitting` is SQL on the row `i` of the item, or null; its maker has quoted what stands in it.
-- Not for the runtime's role: it believes what it is told about the user.
CREATE FUNCTION nearest_vectors(
  items text, of_user text, holders uuid[], asked_vector text, width int, asked_embedder text, wanted int, fitting text,
  also uuid[] DEFAULT '{}',
  OUT near_ids uuid[], OUT near_cosines float8[], OUT other_ids uuid[], OUT other_cosines float8[]
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  vectors regclass := to_regclass(quote_ident(items || '_' || width));
  filter text := CASE WHEN fitting IS NULL THEN '' ELSE format(
    'AND EXISTS (SELECT FROM %I i WHERE i.user_id = $1 AND i.id = v.%I AND (%s))', items,
    CASE items WHEN 'passages' THEN 'passage_id' ELSE 'message_id' END, fitting
  ) END;
  -- Read from its text once.
  sought vector := asked_vector::vector;
  kind text;
  is_indexed boolean;
  -- Fewer are looked at one by one: measured, that is where the index begins to pay.
  few constant int := 4000;
  has_more boolean;
  in_view int;
BEGIN
  IF vectors IS NULL THEN
    SELECT '{}', '{}', '{}', '{}' INTO near_ids, near_cosines, other_ids, other_cosines;
    RETURN;
  END IF;
  SELECT format_type(a.atttypid, NULL), EXISTS (
      SELECT FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid JOIN pg_am m ON m.oid = c.relam
      WHERE x.indrelid = vectors AND m.amname = 'hnsw' AND x.indisvalid
    )
    INTO kind, is_indexed FROM pg_attribute a WHERE a.attrelid = vectors AND a.attname = 'embedding';
  EXECUTE format('SELECT * FROM %I($1, $2, $3::%s, $4, $5, $6, $7)', 'exact_scan_' || items || '_' || width, kind)
    INTO near_ids, near_cosines, other_ids, other_cosines, has_more
    USING of_user, holders, sought, asked_embedder, CASE WHEN fitting IS NULL THEN wanted ELSE 0 END, also, CASE WHEN is_indexed THEN few END;
  IF has_more THEN
    in_view := (
      SELECT CASE WHEN c.reltuples > 50000 THEN 400 WHEN c.reltuples > 20000 THEN 200 ELSE 100 END FROM pg_class c WHERE c.oid = vectors
    );
    PERFORM set_config('hnsw.ef_search', greatest(in_view, wanted)::text, true);
    IF current_setting('hnsw.iterative_scan', true) IS NOT NULL THEN
      PERFORM set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.max_scan_tuples', '40000', true);
    END IF;
    EXECUTE nearest_statement(items, width, kind, false, filter) INTO near_ids, near_cosines
      USING of_user, holders, sought, asked_embedder, wanted;
  END IF;
  IF (has_more OR fitting IS NOT NULL) AND cardinality(near_ids) < wanted THEN
    EXECUTE nearest_statement(items, width, kind, true, filter) INTO near_ids, near_cosines
      USING of_user, holders, sought, asked_embedder, wanted;
  END IF;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION rank_passages(
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
  least_cosine float8 := (asked->>'floor')::float8;
  identifiers tsquery := (asked->>'identifiers')::tsquery;
  meaning_weight float8 := (asked->>'meaning_weight')::float8;
  literal_weight float8 := (asked->>'literal_weight')::float8;
  importance_weight float8 := (asked->>'importance_weight')::float8;
  -- The best by words stands first. Of the cosines, one that was looked up may be better than the index's best.
  best_score float8 := word_scores[1];
  best_cosine float8 := greatest(
    CASE WHEN near_cosines[1] >= least_cosine THEN near_cosines[1] END, (SELECT max(c) FROM unnest(other_cosines) c)
  );
BEGIN
  RETURN QUERY
  WITH scored AS MATERIALIZED (
    SELECT f.id, f.word_rank, f.word_score, f.meaning_rank, f.cosine, coalesce(f.literal, p.literal, false) AS literal,
      coalesce(f.identifier, p.identifier, false) AS identifier,
      coalesce(f.word_score / nullif(best_score, 0), 0)
        + meaning_weight * coalesce(greatest(f.cosine, 0) / nullif(greatest(best_cosine, 0), 0), 0)
        + CASE WHEN coalesce(f.literal, p.literal) THEN literal_weight
          WHEN coalesce(f.identifier, p.identifier) THEN literal_weight / 2 ELSE 0 END
        + importance_weight * coalesce(p.weight, 0) AS score
    FROM (
      SELECT coalesce(w.id, n.id) AS id, w.place::int AS word_rank, w.score AS word_score, n.place::int AS meaning_rank,
        coalesce(n.cosine, o.cosine) AS cosine, w.literal, w.identifier
      FROM unnest(word_ids, word_scores, literals, identified) WITH ORDINALITY w (id, score, literal, identifier, place)
      FULL JOIN (
        SELECT * FROM unnest(near_ids, near_cosines) WITH ORDINALITY n (id, cosine, place) WHERE n.cosine >= least_cosine
      ) n ON n.id = w.id
      LEFT JOIN unnest(other_ids, other_cosines) o (id, cosine) ON o.id = w.id
    ) f
    LEFT JOIN LATERAL (
      SELECT p.search_text LIKE pattern AS literal, p.words @@ identifiers AS identifier, importance_of(p) AS weight
      FROM passages p
      WHERE (f.word_rank IS NULL OR importance_weight <> 0) AND p.user_id = me AND p.id BETWEEN f.id AND f.id
      ORDER BY p.id LIMIT 1
    ) p ON true
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
    SELECT n.* INTO near_ids, near_cosines, other_ids, other_cosines
    FROM nearest_vectors('passages', me, archives, asked->>'vector', (asked->>'dimensions')::int, asked->>'embedder',
      (asked->>'meaning_candidates')::int, fitting, word_ids) n;
  END IF;
  RETURN QUERY SELECT * FROM rank_passages(me, asked, word_ids, word_scores, literals, identified, near_ids, near_cosines,
    other_ids, other_cosines, skipped, page_size);
END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION search_messages(asked_agent uuid, asked jsonb, skipped int, page_size int) RETURNS TABLE (
  total int, id uuid, parent_id uuid, turn_id uuid, role text, speaker text, kind text, status text, content jsonb,
  "text" text, tokens int, trust text, created_at timestamptz, score float8, word_rank int, word_score float8, meaning_rank int,
  cosine float8, literal boolean, context float8
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
#variable_conflict use_column
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
  any_word tsquery := any_of_terms(asked->>'words', asked->>'terms');
  -- One query for each term: `'lisbon'`, `'~harbour':*`.
  terms tsquery[] := ARRAY(
    SELECT DISTINCT t[1]::tsquery FROM regexp_matches(any_word::text, '(''(?:[^'']|'''')*''(?::\*?[A-D]*)?)', 'g') t
  );
  all_branches boolean := coalesce((asked->>'all_branches')::boolean, false);
  except_turn uuid := (asked->>'except_turn')::uuid;
  since timestamptz := (asked->>'since')::timestamptz;
  until timestamptz := (asked->>'until')::timestamptz;
  -- SQL on the row `i` of a message; what it was given is quoted.
  fitting text := format('message_fits(i, %L, %L, %L, %L)', all_branches, except_turn, since, until);
  has_span boolean := coalesce(since, until) IS NOT NULL;
  term_weights float8[] := '{}';
  word_ids uuid[] := '{}';
  piece_ids uuid[] := '{}';
  near_ids uuid[] := '{}';
  near_cosines float8[] := '{}';
BEGIN
  IF me IS NULL OR NOT may_use_agent(asked_agent) THEN
    RETURN;
  END IF;
  IF (asked->>'literal')::boolean THEN
    RETURN QUERY EXECUTE format(
      'WITH matches AS MATERIALIZED (
         SELECT i.id, i.created_at FROM messages i
         WHERE i.user_id = $1 AND i.agent_id = $2 AND i.search_text LIKE $3
           AND (coalesce(numnode($4), 0) = 0 OR i.words @@ $4 OR length(i.search_text) > 100000) AND %s
       ), page AS (
         SELECT * FROM matches ORDER BY created_at DESC, id DESC OFFSET $5 LIMIT $6
       )
       SELECT t.total, m.id, m.parent_id, m.turn_id, m.role, m.speaker, m.kind, m.status, m.content, m.text, m.tokens,
         m.trust, m.created_at, $7, NULL::int, NULL::float8, NULL::int, NULL::float8, true, NULL::float8
       FROM (SELECT count(*)::int AS total FROM matches) t
       LEFT JOIN page ON true
       LEFT JOIN messages m ON m.user_id = $1 AND m.id = page.id
       ORDER BY page.created_at DESC, page.id DESC',
      fitting
    ) USING me, asked_agent, asked->>'pattern', plainto_tsquery('english'::regconfig, nullif(asked->>'inner_words', '')), skipped,
      page_size, (asked->>'literal_weight')::float8;
    RETURN;
  END IF;
  IF asked ? 'vector' THEN
    -- What was left behind has vectors, too: unless a span is given, it is sifted out afterwards, which costs less.
    SELECT coalesce(array_agg(n.id ORDER BY n.cosine DESC, n.id), '{}'), coalesce(array_agg(n.cosine ORDER BY n.cosine DESC, n.id), '{}')
      INTO near_ids, near_cosines
    FROM (
      SELECT v.id, v.cosine
      FROM nearest_vectors('messages', me, ARRAY[asked_agent], asked->>'vector', (asked->>'dimensions')::int, asked->>'embedder',
        (asked->>'meaning_candidates')::int * CASE WHEN has_span THEN 1 ELSE 4 END, CASE WHEN has_span THEN fitting END) f
      CROSS JOIN LATERAL unnest(f.near_ids, f.near_cosines) v (id, cosine)
      CROSS JOIN LATERAL (
        SELECT FROM messages i
        WHERE i.user_id = me AND i.id BETWEEN v.id AND v.id AND message_fits(i, all_branches, except_turn, since, until)
        ORDER BY i.id LIMIT 1
      ) i
      WHERE v.cosine >= (asked->>'floor')::float8
      ORDER BY v.cosine DESC, v.id
      LIMIT (asked->>'meaning_candidates')::int
    ) n;
  END IF;
  EXECUTE format(
    'WITH matches AS MATERIALIZED (
       SELECT i.id, ARRAY(SELECT ts_rank(''{0.5, 0.3, 0.5, 1}'', i.words, t) FROM unnest($4) t) AS hits
       FROM messages i
       WHERE i.user_id = $1 AND i.agent_id = $2 AND i.words @@ $3 AND %s
     ), rarities AS MATERIALIZED (
       SELECT array_agg(power(ln(1 + (n.matches - coalesce(f.found, 0) + 0.5) / (coalesce(f.found, 0) + 0.5)), $5) ORDER BY t.number) AS weights
       FROM (SELECT count(*) AS matches FROM matches) n
       CROSS JOIN generate_subscripts($4, 1) t (number)
       LEFT JOIN (
         SELECT h.number, count(*) AS found FROM matches, unnest(hits) WITH ORDINALITY h (hit, number) WHERE h.hit > 0 GROUP BY h.number
       ) f ON f.number = t.number
     ), best AS (
       SELECT m.id, (SELECT sum(h.hit * h.weight) FROM unnest(m.hits, r.weights) h (hit, weight)) AS score
       FROM matches m, rarities r
       ORDER BY score DESC, id
       LIMIT $6
     )
     SELECT coalesce((SELECT weights FROM rarities), ''{}''), coalesce(array_agg(id ORDER BY score DESC, id), ''{}'') FROM best',
    fitting
  ) INTO term_weights, word_ids
    USING me, asked_agent, any_word, terms, (asked->>'rarity_weight')::float8, (asked->>'word_candidates')::int;
  IF word_ids = '{}' THEN
    EXECUTE format(
      'SELECT coalesce(array_agg(l.id), ''{}'')
       FROM (
         SELECT i.id FROM messages i
         WHERE i.user_id = $1 AND i.agent_id = $2 AND i.search_text LIKE $3 AND %s
         ORDER BY i.created_at DESC, i.id DESC
         LIMIT $4
       ) l',
      fitting
    ) INTO piece_ids USING me, asked_agent, asked->>'pattern', (asked->>'word_candidates')::int;
  END IF;
  RETURN QUERY SELECT * FROM rank_messages(me, asked, terms, term_weights, word_ids, piece_ids, near_ids, near_cosines, skipped, page_size);
END
$$;
--> statement-breakpoint
-- As before: names mean the same whoever calls the functions, and plans that were made over empty tables serve when they are full.
-- What is to be inlined has no settings of its own.
DO $$
DECLARE
  home text := current_schema();
  vectors_in text := (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector');
  made record;
BEGIN
  FOR made IN
    SELECT p.oid::regprocedure AS signature, p.proname AS name FROM pg_proc p
    WHERE p.pronamespace = home::regnamespace
      AND p.proname IN ('nearest_statement', 'make_exact_scan', 'ensure_vector_tables', 'nearest_vectors', 'rank_passages',
        'search_passages', 'search_messages')
  LOOP
    IF made.name <> 'nearest_statement' THEN
      EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, %I, pg_temp', made.signature, home, vectors_in);
    END IF;
    IF made.name IN ('nearest_statement', 'make_exact_scan', 'nearest_vectors') THEN
      EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', made.signature);
    END IF;
    IF made.name IN ('rank_passages', 'search_passages', 'search_messages') THEN
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
--> statement-breakpoint
-- For the tables that are there.
DO $$
DECLARE
  made record;
BEGIN
  FOR made IN
    SELECT c.relname AS vectors, CASE WHEN c.relname LIKE 'passages%' THEN 'archive_id' ELSE 'agent_id' END AS holder FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname ~ '^(passages|messages)_[0-9]+$'
  LOOP
    EXECUTE format('DROP INDEX %I', made.vectors || '_holder_index');
    EXECUTE format('CREATE INDEX %I ON %I (%I)', made.vectors || '_holder_index', made.vectors, made.holder);
    PERFORM make_exact_scan(split_part(made.vectors, '_', 1), split_part(made.vectors, '_', 2)::int);
  END LOOP;
END
$$;
