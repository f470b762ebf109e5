-- Whether a message is what a search was narrowed to; what is null narrows nothing. One expression, so that it is inlined.
CREATE FUNCTION message_fits(
  m messages, all_branches boolean, except_turn uuid, since timestamptz, until timestamptz
) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT (m).search_text IS NOT NULL AND (all_branches OR (m).on_thread)
    AND (except_turn IS NULL OR (m).turn_id <> except_turn)
    AND (since IS NULL OR (m).created_at >= since) AND (until IS NULL OR (m).created_at < until)
$$;
--> statement-breakpoint
-- What was said before and after a message on its thread, up to so many messages each way, as far as it was said in the same sitting.
-- What stands on no thread has no neighbours. `place` counts away from the message: -1 is the one before. One expression, so
-- that it is inlined; the distance in time is asked after the limit, or the rest of a long conversation would be read for it.
CREATE FUNCTION neighbours_of(said messages, most int, sitting interval, except_turn uuid)
RETURNS TABLE (id uuid, place int) LANGUAGE sql STABLE AS $$
  SELECT n.id, -n.place::int FROM (
    SELECT l.id, l.created_at, row_number() OVER (ORDER BY l.position DESC) AS place FROM (
      SELECT b.id, b.created_at, b.position FROM messages b
      WHERE b.user_id = (said).user_id AND b.conversation_id = (said).conversation_id AND b.position < (said).position
        AND b.on_thread AND b.search_text IS NOT NULL AND (except_turn IS NULL OR b.turn_id <> except_turn)
      ORDER BY b.position DESC LIMIT most
    ) l
  ) n WHERE (said).on_thread AND n.created_at >= (said).created_at - sitting
  UNION ALL
  SELECT n.id, n.place::int FROM (
    SELECT l.id, l.created_at, row_number() OVER (ORDER BY l.position) AS place FROM (
      SELECT a.id, a.created_at, a.position FROM messages a
      WHERE a.user_id = (said).user_id AND a.conversation_id = (said).conversation_id AND a.position > (said).position
        AND a.on_thread AND a.search_text IS NOT NULL AND (except_turn IS NULL OR a.turn_id <> except_turn)
      ORDER BY a.position LIMIT most
    ) l
  ) n WHERE (said).on_thread AND n.created_at <= (said).created_at + sitting
$$;
--> statement-breakpoint
DROP FUNCTION search_messages(uuid, text, text, text, timestamptz, timestamptz, uuid, boolean, int, int);
--> statement-breakpoint
DROP FUNCTION any_of_words(text);
--> statement-breakpoint
-- What words and meaning have found among messages, with what was said next to the best of it, ranked and read. `terms` are those
-- asked for, one query each, and `term_weights` what each counts. Not for the runtime's role: it believes what it is told about the user.
CREATE FUNCTION rank_messages(
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
    SELECT c.id, c.cosine FROM cosines_of('messages', me,
      CASE WHEN asked ? 'vector' THEN ARRAY(SELECT id FROM kept EXCEPT SELECT id FROM near) ELSE '{}' END,
      asked->>'vector', (asked->>'dimensions')::int, asked->>'embedder') c
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
-- What was said: by words, by meaning and by what was said around it, on the threads of the conversations or, when all branches are
-- asked for, also what was left behind. The candidates depend on the query alone, not on the page, so pages do not overlap and
-- the total is theirs. They are the messages whose own words rank best, the nearest by meaning, and those next to the best of
-- the former that then rank high themselves: an answer seldom repeats the words of its question.
-- A candidate's words count three times, those of its date and its speaker likewise, and those of the two messages before and
-- after, as far as they were said in the same sitting, once; a term counts less the more often it occurs (k1 of BM25, 1.2), and
-- by the root of how rare it is among what any term has found. None of that stands in an index. Words and meaning are each
-- divided by their best, so that a weak voice cannot outvote a strong one. All of this was measured: docs/benchmarks.md.
-- A query none of whose terms is known is looked for as a piece of text; a literal one is nothing but that. An empty page is a
-- row of nulls after the total. As in `search_passages`, what depends on how often something occurs is executed as text.
-- `asked` holds: pattern, literal, words, terms, inner_words, vector, dimensions, embedder, floor, since, until, except_turn,
-- all_branches, time_zone, word_candidates, meaning_candidates, expanded, sitting_seconds, least_share, own_weight, context_weight,
-- date_weight, speaker_weight, rarity_weight, meaning_weight, literal_weight.
CREATE FUNCTION search_messages(asked_agent uuid, asked jsonb, skipped int, page_size int) RETURNS TABLE (
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
        (asked->>'meaning_candidates')::int * CASE WHEN has_span THEN 1 ELSE 4 END, CASE WHEN has_span THEN fitting END) v
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
-- What was said in a span of time, oldest first.
DROP FUNCTION messages_of_span(uuid, timestamptz, timestamptz, uuid, boolean, int, int);
--> statement-breakpoint
CREATE FUNCTION messages_of_span(
  asked_agent uuid, since timestamptz, until timestamptz, except_turn uuid, all_branches boolean, skipped int, page_size int
) RETURNS TABLE (
  total int, id uuid, parent_id uuid, turn_id uuid, role text, speaker text, kind text, status text, content jsonb, "text" text,
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
    WHERE m.user_id = me AND m.agent_id = asked_agent AND message_fits(m, all_branches, except_turn, since, until)
  ), page AS (
    SELECT id, created_at FROM matches ORDER BY created_at, id OFFSET skipped LIMIT page_size
  )
  SELECT t.total, m.id, m.parent_id, m.turn_id, m.role, m.speaker, m.kind, m.status, m.content, m.text, m.tokens, m.trust, m.created_at
  FROM (SELECT count(*)::int AS total FROM matches) t
  LEFT JOIN page ON true
  LEFT JOIN messages m ON m.user_id = me AND m.id = page.id
  ORDER BY page.created_at, page.id;
END
$$;
--> statement-breakpoint
-- Names mean the same whoever calls the functions, and the runtime's role calls those that keep to the set user. The first two are
-- to be inlined into them and have no settings of their own. The search is planned once, like that of passages; where the planner
-- knows no better than ten rows for an array, it must not join what was found by comparing all with all. The reading of a span is
-- planned anew each time: a plan that was made while the table was small took seconds when it had 20,000 rows, and on the embedded
-- engine nothing makes it anew.
DO $$
DECLARE
  home text := current_schema();
  vectors_in text := (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector');
  made record;
BEGIN
  FOR made IN
    SELECT p.oid::regprocedure AS signature, p.proname AS name FROM pg_proc p
    WHERE p.pronamespace = home::regnamespace
      AND p.proname IN ('message_fits', 'neighbours_of', 'rank_messages', 'search_messages', 'messages_of_span')
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', made.signature);
    CONTINUE WHEN made.name IN ('message_fits', 'neighbours_of');
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, %I, pg_temp', made.signature, home, vectors_in);
    IF made.name IN ('search_messages', 'messages_of_span') THEN
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO palimpsest_runtime', made.signature);
    END IF;
    IF made.name = 'messages_of_span' THEN
      EXECUTE format('ALTER FUNCTION %s SET plan_cache_mode = force_custom_plan', made.signature);
    ELSE
      EXECUTE format('ALTER FUNCTION %s SET plan_cache_mode = force_generic_plan', made.signature);
      EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off', made.signature);
    END IF;
    IF made.name = 'rank_messages' THEN
      EXECUTE format('ALTER FUNCTION %s SET enable_nestloop = off', made.signature);
      -- Before PostgreSQL 18, a plan with a loop that cannot be avoided has a price at which it would be compiled.
      EXECUTE format('ALTER FUNCTION %s SET jit = off', made.signature);
    END IF;
  END LOOP;
END
$$;
