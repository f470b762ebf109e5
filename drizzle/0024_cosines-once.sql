-- One statement in place of two for the cosines of what words have found among messages: `nearest_vectors` has them, asked for none
-- that are near, and its statement is kept.
CREATE OR REPLACE FUNCTION rank_messages(
  me text, asked jsonb, terms tsquery[], term_weights float8[], word_ids uuid[], piece_ids uuid[], near_ids uuid[], near_cosines float8[],
  skipped int, page_size int
) RETURNS TABLE (
  total int, id uuid, parent_id uuid, turn_id uuid, role text, speaker text, kind text, status text, content jsonb,
  "text" text, tokens int, trust text, created_at timestamptz, score float8, word_rank int, word_score float8, meaning_rank int,
  cosine float8, literal boolean, context float8
) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  pattern text := asked->>'pattern';
  all_branches boolean := coalesce((asked->>'all_branches')::boolean, false);
  except_turn uuid := (asked->>'except_turn')::uuid;
  since timestamptz := (asked->>'since')::timestamptz;
  until timestamptz := (asked->>'until')::timestamptz;
  sitting interval := (asked->>'sitting_seconds')::float8 * interval '1 second';
  own_weight float8 := (asked->>'own_weight')::float8;
  context_weight float8 := (asked->>'context_weight')::float8;
  date_weight float8 := (asked->>'date_weight')::float8;
  speaker_weight float8 := (asked->>'speaker_weight')::float8;
  meaning_weight float8 := (asked->>'meaning_weight')::float8;
  literal_weight float8 := (asked->>'literal_weight')::float8;
  -- Those whose neighbours are candidates, too.
  best_ids uuid[] := CASE WHEN context_weight > 0 THEN word_ids[1:(asked->>'expanded')::int] ELSE '{}' END;
  -- ts_rank divides the sum of 1 / n² over a term's occurrences by its limit.
  whole constant float8 := pi() * pi() / 6;
BEGIN
  RETURN QUERY
  WITH near AS MATERIALIZED (
    SELECT * FROM unnest(near_ids, near_cosines) WITH ORDINALITY n (id, cosine, place)
  ), beside AS MATERIALIZED (
    SELECT n.id FROM unnest(best_ids) b (id)
    CROSS JOIN LATERAL (
      SELECT m AS said FROM messages m WHERE m.user_id = me AND m.id BETWEEN b.id AND b.id ORDER BY m.id LIMIT 1
    ) m
    CROSS JOIN LATERAL neighbours_of(m.said, 2, sitting, except_turn) n
  ), named AS MATERIALIZED (
    SELECT id, bool_or(is_found) AS is_found
    FROM (
      SELECT unnest(word_ids || piece_ids || near_ids), true
      UNION ALL
      SELECT id, false FROM beside
    ) n (id, is_found)
    GROUP BY id
  ), candidates AS MATERIALIZED (
    SELECT n.id, n.is_found, m.*
    FROM named n CROSS JOIN LATERAL (
      SELECT m.words, coalesce(m.search_text LIKE pattern, false) AS literal, m.created_at,
        to_tsvector('english'::regconfig, plain_words(coalesce(m.speaker, ''))) AS speaker,
        to_tsvector('english'::regconfig, to_char(m.created_at AT TIME ZONE (asked->>'time_zone'), 'FMDD FMMonth YYYY')) AS day,
        CASE WHEN context_weight > 0 THEN ARRAY(SELECT b.id FROM neighbours_of(m, 2, sitting, except_turn) b) END AS around
      FROM messages m
      WHERE m.user_id = me AND m.id BETWEEN n.id AND n.id AND message_fits(m, all_branches, except_turn, since, until)
      ORDER BY m.id LIMIT 1
    ) m
  ), pairs AS MATERIALIZED (
    SELECT c.id AS candidate, n.id AS neighbour FROM candidates c, unnest(c.around) n (id)
  ), lines AS MATERIALIZED (
    SELECT id, words FROM candidates
    UNION ALL
    SELECT i.id, m.words FROM (SELECT neighbour AS id FROM pairs EXCEPT SELECT id FROM candidates) i
    CROSS JOIN LATERAL (
      SELECT m.words FROM messages m WHERE m.user_id = me AND m.id BETWEEN i.id AND i.id ORDER BY m.id LIMIT 1
    ) m
  ), heard AS MATERIALIZED (
    SELECT l.id, t.number, ts_rank('{0.5, 0.3, 0.5, 1}', l.words, t.term) * whole AS hit
    FROM lines l JOIN unnest(terms) WITH ORDINALITY t (term, number) ON l.words @@ t.term
  ), shares AS (
    SELECT c.id, h.number, h.hit AS own, 0 AS around FROM candidates c JOIN heard h ON h.id = c.id
    UNION ALL
    SELECT c.id, t.number, greatest(speaker_weight * (c.speaker @@ t.term)::int, date_weight * (c.day @@ t.term)::int), 0
    FROM candidates c JOIN unnest(terms) WITH ORDINALITY t (term, number) ON c.speaker @@ t.term OR c.day @@ t.term
    UNION ALL
    SELECT p.candidate, h.number, 0, h.hit FROM pairs p JOIN heard h ON h.id = p.neighbour
  ), by_term AS (
    SELECT id, number, own_weight * sum(own) AS own, own_weight * sum(own) + context_weight * sum(around) AS both
    FROM shares GROUP BY id, number
  ), spoken AS MATERIALIZED (
    SELECT b.id, sum(w.weight * b.both / (b.both + 1.2)) AS score, sum(w.weight * b.own / (b.own + 1.2)) AS own
    FROM by_term b JOIN unnest(term_weights) WITH ORDINALITY w (weight, number) ON w.number = b.number
    WHERE b.both > 0
    GROUP BY b.id
  ), kept AS MATERIALIZED (
    SELECT c.id, c.literal, c.created_at, s.score AS word_score, s.own
    FROM candidates c LEFT JOIN spoken s ON s.id = c.id
    WHERE c.is_found OR s.score >= (asked->>'least_share')::float8 * (SELECT max(score) FROM spoken)
  ), looked_up AS MATERIALIZED (
    SELECT o.id, o.cosine
    FROM nearest_vectors('messages', me, '{}', asked->>'vector', (asked->>'dimensions')::int, asked->>'embedder', 0, NULL,
      ARRAY(SELECT id FROM kept EXCEPT SELECT id FROM near)) f
    CROSS JOIN LATERAL unnest(f.other_ids, f.other_cosines) o (id, cosine)
  ), voices AS MATERIALIZED (
    SELECT k.id, CASE WHEN k.word_score IS NOT NULL THEN (rank() OVER (ORDER BY k.word_score DESC NULLS LAST))::int END AS word_rank,
      k.word_score, near.place::int AS meaning_rank, coalesce(near.cosine, l.cosine) AS cosine, k.literal,
      1 - k.own / k.word_score AS context, k.created_at
    FROM kept k LEFT JOIN near ON near.id = k.id LEFT JOIN looked_up l ON l.id = k.id
  ), scored AS MATERIALIZED (
    SELECT *, coalesce(word_score / nullif(max(word_score) OVER (), 0), 0)
        + meaning_weight * coalesce(greatest(cosine, 0) / nullif(greatest(max(cosine) OVER (), 0), 0), 0)
        + CASE WHEN literal THEN literal_weight ELSE 0 END AS score
    FROM voices
  ), page AS (
    SELECT * FROM scored ORDER BY score DESC, created_at DESC, id DESC OFFSET skipped LIMIT page_size
  )
  SELECT t.total, m.id, m.parent_id, m.turn_id, m.role, m.speaker, m.kind, m.status, m.content, m.text, m.tokens, m.trust,
    m.created_at, page.score, page.word_rank, page.word_score, page.meaning_rank, page.cosine, page.literal, page.context
  FROM (SELECT count(*)::int AS total FROM scored) t
  LEFT JOIN page ON true
  LEFT JOIN LATERAL (
    SELECT * FROM messages m WHERE m.user_id = me AND m.id BETWEEN page.id AND page.id ORDER BY m.id LIMIT 1
  ) m ON true
  ORDER BY page.score DESC, page.created_at DESC, page.id DESC;
END
$$;
--> statement-breakpoint
DROP FUNCTION cosines_of(text, text, uuid[], text, int, text);
--> statement-breakpoint
-- What the columns of a table of vectors are called: whose the item is, and which.
CREATE FUNCTION vector_columns(items text, OUT holder text, OUT item text) LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE items WHEN 'passages' THEN 'archive_id' ELSE 'agent_id' END, CASE items WHEN 'passages' THEN 'passage_id' ELSE 'message_id' END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION nearest_statement(items text, width int, kind text, is_exact boolean, filter text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT format(
    'SELECT coalesce(array_agg(n.id ORDER BY n.distance, n.id), ''{}''), coalesce(array_agg(%5$s ORDER BY n.distance, n.id), ''{}'')
     FROM (
       SELECT v.%1$I AS id, v.embedding %4$s $3::%2$s AS distance
       FROM %3$I v
       WHERE (v.user_id = $1) IS TRUE AND v.%7$I = ANY ($2) AND v.embedder = $4 %8$s
       ORDER BY %6$s
       LIMIT $5
     ) n',
    c.item, kind, items || '_' || width,
    CASE WHEN is_exact THEN '<#>' ELSE '<=>' END, CASE WHEN is_exact THEN '-n.distance' ELSE '1 - n.distance' END,
    CASE WHEN is_exact THEN 'distance, id' ELSE 'distance' END,
    c.holder, filter
  )
  FROM vector_columns(items) c
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION make_exact_scan(items text, width int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  home text := (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = 'passages'::regclass);
  name text := 'exact_scan_' || items || '_' || width;
  kind text := (
    SELECT format_type(a.atttypid, NULL) FROM pg_attribute a
    WHERE a.attrelid = (items || '_' || width)::regclass AND a.attname = 'embedding'
  );
  columns record := vector_columns(items);
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
      items || '_' || width, columns.holder, nearest_statement(items, width, kind, true, ''), columns.item
    )
  );
  EXECUTE format('REVOKE ALL ON FUNCTION %I FROM PUBLIC', name);
END
$$;
--> statement-breakpoint
-- As before; tables that a process of the version before made while this one's were migrating get the function that they lack.
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
  -- What is made last.
  IF to_regproc('exact_scan_messages_' || width) IS NOT NULL THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('palimpsest vector tables', width));
  FOR made IN
    SELECT t.*, c.* FROM (VALUES ('passages', 'may_use_archive'), ('messages', 'may_use_agent')) t (items, allows)
    CROSS JOIN LATERAL vector_columns(t.items) c
  LOOP
    IF to_regclass(format('%I.%I', home, made.items || '_' || width)) IS NULL THEN
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
        made.items || '_' || width, own, format('%s(%I)', made.allows, made.holder)
      );
    END IF;
    PERFORM make_exact_scan(made.items, width);
  END LOOP;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION nearest_vectors(
  items text, of_user text, holders uuid[], asked_vector text, width int, asked_embedder text, wanted int, fitting text,
  also uuid[] DEFAULT '{}',
  OUT near_ids uuid[], OUT near_cosines float8[], OUT other_ids uuid[], OUT other_cosines float8[]
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  vectors regclass := to_regclass(quote_ident(items || '_' || width));
  filter text := CASE WHEN fitting IS NULL THEN '' ELSE format(
    'AND EXISTS (SELECT FROM %I i WHERE i.user_id = $1 AND i.id = v.%I AND (%s))', items,
    (vector_columns(items)).item, fitting
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
-- As before: names mean the same whoever calls the functions, and plans that were made over empty tables serve when they are full.
DO $$
DECLARE
  home text := current_schema();
  vectors_in text := (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector');
  made record;
BEGIN
  FOR made IN
    SELECT p.oid::regprocedure AS signature, p.proname AS name FROM pg_proc p
    WHERE p.pronamespace = home::regnamespace
      AND p.proname IN ('make_exact_scan', 'ensure_vector_tables', 'nearest_vectors', 'rank_messages')
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, %I, pg_temp', made.signature, home, vectors_in);
    IF made.name = 'rank_messages' THEN
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
REVOKE ALL ON FUNCTION vector_columns(text) FROM PUBLIC;
