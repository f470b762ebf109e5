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
    SELECT b.id, b.created_at, row_number() OVER (ORDER BY b.position DESC) AS place FROM messages b
    WHERE b.user_id = (said).user_id AND b.conversation_id = (said).conversation_id AND b.position < (said).position
      AND b.on_thread AND b.search_text IS NOT NULL AND (except_turn IS NULL OR b.turn_id <> except_turn)
    ORDER BY b.position DESC LIMIT most
  ) n WHERE (said).on_thread AND n.created_at >= (said).created_at - sitting
  UNION ALL
  SELECT n.id, n.place::int FROM (
    SELECT a.id, a.created_at, row_number() OVER (ORDER BY a.position) AS place FROM messages a
    WHERE a.user_id = (said).user_id AND a.conversation_id = (said).conversation_id AND a.position > (said).position
      AND a.on_thread AND a.search_text IS NOT NULL AND (except_turn IS NULL OR a.turn_id <> except_turn)
    ORDER BY a.position LIMIT most
  ) n WHERE (said).on_thread AND n.created_at <= (said).created_at + sitting
$$;
--> statement-breakpoint
DROP FUNCTION search_messages(uuid, text, text, text, timestamptz, timestamptz, uuid, boolean, int, int);
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
-- row of nulls after the total.
-- `asked` holds: pattern, literal, words, terms, inner_words, vector, embedder, floor, since, until, except_turn, all_branches,
-- time_zone, word_candidates, meaning_candidates, expanded, sitting_seconds, least_share, own_weight, context_weight, date_weight,
-- speaker_weight, rarity_weight, meaning_weight, literal_weight.
CREATE FUNCTION search_messages(asked_agent uuid, asked jsonb, skipped int, page_size int) RETURNS TABLE (
  total int, id uuid, parent_id uuid, turn_id uuid, role text, speaker text, kind text, status text, content jsonb,
  "text" text, tokens int, trust text, created_at timestamptz, score float8, word_rank int, word_score float8, meaning_rank int,
  cosine float8, literal boolean, context float8
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
#variable_conflict use_column
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
  pattern text := asked->>'pattern';
  any_word tsquery := any_of_terms(asked->>'words', asked->>'terms');
  inner_words tsquery := plainto_tsquery('english'::regconfig, nullif(asked->>'inner_words', ''));
  -- One query for each term: `'lisbon'`, `'~harbour':*`.
  asked_terms tsquery[] := ARRAY(
    SELECT DISTINCT t[1]::tsquery FROM regexp_matches(any_word::text, '(''(?:[^'']|'''')*''(?::\*?[A-D]*)?)', 'g') t
  );
  all_branches boolean := coalesce((asked->>'all_branches')::boolean, false);
  except_turn uuid := (asked->>'except_turn')::uuid;
  since timestamptz := (asked->>'since')::timestamptz;
  until timestamptz := (asked->>'until')::timestamptz;
  sitting interval := (asked->>'sitting_seconds')::float8 * interval '1 second';
  own_weight float8 := (asked->>'own_weight')::float8;
  context_weight float8 := (asked->>'context_weight')::float8;
  date_weight float8 := (asked->>'date_weight')::float8;
  speaker_weight float8 := (asked->>'speaker_weight')::float8;
  rarity_weight float8 := (asked->>'rarity_weight')::float8;
  meaning_weight float8 := (asked->>'meaning_weight')::float8;
  literal_weight float8 := (asked->>'literal_weight')::float8;
  near_ids uuid[] := '{}';
  near_cosines float8[] := '{}';
  -- ts_rank divides the sum of 1 / n² over a term's occurrences by its limit.
  whole constant float8 := pi() * pi() / 6;
BEGIN
  IF me IS NULL OR NOT may_use_agent(asked_agent) THEN
    RETURN;
  END IF;
  IF coalesce((asked->>'literal')::boolean, false) THEN
    RETURN QUERY
    WITH matches AS MATERIALIZED (
      SELECT m.id, m.created_at FROM messages m
      WHERE m.user_id = me AND m.agent_id = asked_agent AND m.search_text LIKE pattern
        AND (coalesce(numnode(inner_words), 0) = 0 OR m.words @@ inner_words OR length(m.search_text) > 100000)
        AND message_fits(m, all_branches, except_turn, since, until)
    ), page AS (
      SELECT * FROM matches ORDER BY created_at DESC, id DESC OFFSET skipped LIMIT page_size
    )
    SELECT t.total, m.id, m.parent_id, m.turn_id, m.role, m.speaker, m.kind, m.status, m.content, m.text, m.tokens,
      m.trust, m.created_at, literal_weight, NULL::int, NULL::float8, NULL::int, NULL::float8, true, NULL::float8
    FROM (SELECT count(*)::int AS total FROM matches) t
    LEFT JOIN page ON true
    LEFT JOIN messages m ON m.user_id = me AND m.id = page.id
    ORDER BY page.created_at DESC, page.id DESC;
    RETURN;
  END IF;
  IF asked ? 'vector' THEN
    -- What was left behind has vectors, too: unless a span is given, it is sifted out afterwards, which costs less.
    SELECT coalesce(array_agg(n.id ORDER BY n.cosine DESC, n.id), '{}'), coalesce(array_agg(n.cosine ORDER BY n.cosine DESC, n.id), '{}')
      INTO near_ids, near_cosines
    FROM (
      SELECT v.id, v.cosine
      FROM nearest_vectors('messages', me, ARRAY[asked_agent], asked->>'vector', asked->>'embedder',
        (asked->>'meaning_candidates')::int * CASE WHEN coalesce(since, until) IS NULL THEN 4 ELSE 1 END,
        CASE WHEN coalesce(since, until) IS NOT NULL
          THEN format('message_fits(i, %L, %L, %L, %L)', all_branches, except_turn, since, until) END
      ) v
      JOIN messages m ON m.user_id = me AND m.id = v.id AND message_fits(m, all_branches, except_turn, since, until)
      WHERE v.cosine >= (asked->>'floor')::float8
      ORDER BY v.cosine DESC, v.id
      LIMIT (asked->>'meaning_candidates')::int
    ) n;
  END IF;
  RETURN QUERY
  WITH matches AS MATERIALIZED (
    SELECT m.id, ARRAY(SELECT ts_rank('{0.5, 0.3, 0.5, 1}', m.words, t) FROM unnest(asked_terms) t) AS hits
    FROM messages m
    WHERE m.user_id = me AND m.agent_id = asked_agent AND m.words @@ any_word
      AND message_fits(m, all_branches, except_turn, since, until)
  ), rarities AS MATERIALIZED (
    SELECT t.number, power(ln(1 + (n.matches - coalesce(f.found, 0) + 0.5) / (coalesce(f.found, 0) + 0.5)), rarity_weight) AS weight
    FROM (SELECT count(*) AS matches FROM matches) n
    CROSS JOIN generate_subscripts(asked_terms, 1) t (number)
    LEFT JOIN (
      SELECT h.number, count(*) AS found FROM matches, unnest(hits) WITH ORDINALITY h (hit, number) WHERE h.hit > 0 GROUP BY h.number
    ) f ON f.number = t.number
  ), by_words AS MATERIALIZED (
    SELECT m.id, (SELECT sum(h.hit * h.weight) FROM unnest(m.hits, w.weights) h (hit, weight)) AS score
    FROM matches m, (SELECT array_agg(weight ORDER BY number) AS weights FROM rarities) w
    ORDER BY score DESC, id
    LIMIT (asked->>'word_candidates')::int
  ), pieces AS MATERIALIZED (
    SELECT m.id FROM messages m
    WHERE NOT EXISTS (SELECT FROM matches)
      AND m.user_id = me AND m.agent_id = asked_agent AND m.search_text LIKE pattern
      AND message_fits(m, all_branches, except_turn, since, until)
    ORDER BY m.created_at DESC, m.id DESC
    LIMIT (asked->>'word_candidates')::int
  ), near AS MATERIALIZED (
    SELECT * FROM unnest(near_ids, near_cosines) WITH ORDINALITY n (id, cosine, place)
  ), found AS MATERIALIZED (
    SELECT id, true AS is_found FROM by_words UNION SELECT id, true FROM pieces UNION SELECT id, true FROM near
  ), best AS MATERIALIZED (
    SELECT b.id FROM by_words b ORDER BY b.score DESC, b.id LIMIT CASE WHEN context_weight > 0 THEN (asked->>'expanded')::int ELSE 0 END
  ), beside AS MATERIALIZED (
    SELECT DISTINCT n.id FROM best JOIN messages m ON m.user_id = me AND m.id = best.id, neighbours_of(m, 2, sitting, except_turn) n
  ), candidates AS MATERIALIZED (
    SELECT m.id, coalesce(f.is_found, false) AS is_found
    FROM (SELECT id FROM found UNION SELECT id FROM beside) c
    JOIN messages m ON m.user_id = me AND m.id = c.id AND message_fits(m, all_branches, except_turn, since, until)
    LEFT JOIN found f ON f.id = c.id
  ), pairs AS MATERIALIZED (
    SELECT c.id AS candidate, n.id AS neighbour
    FROM candidates c JOIN messages m ON m.user_id = me AND m.id = c.id, neighbours_of(m, 2, sitting, except_turn) n
    WHERE context_weight > 0
  ), lines AS MATERIALIZED (
    SELECT m.id, m.words
    FROM (SELECT id FROM candidates UNION SELECT neighbour FROM pairs) i
    JOIN messages m ON m.user_id = me AND m.id = i.id
  ), heard AS MATERIALIZED (
    SELECT l.id, t.number, ts_rank('{0.5, 0.3, 0.5, 1}', l.words, t.term) * whole AS hit
    FROM lines l JOIN unnest(asked_terms) WITH ORDINALITY t (term, number) ON l.words @@ t.term
  ), headings AS MATERIALIZED (
    SELECT c.id, to_tsvector('english'::regconfig, plain_words(coalesce(m.speaker, ''))) AS speaker,
      to_tsvector('english'::regconfig, to_char(m.created_at AT TIME ZONE (asked->>'time_zone'), 'FMDD FMMonth YYYY')) AS day
    FROM candidates c JOIN messages m ON m.user_id = me AND m.id = c.id
  ), shares AS (
    SELECT c.id, h.number, h.hit AS own, 0 AS around FROM candidates c JOIN heard h ON h.id = c.id
    UNION ALL
    SELECT h.id, t.number, greatest(speaker_weight * (h.speaker @@ t.term)::int, date_weight * (h.day @@ t.term)::int), 0
    FROM headings h JOIN unnest(asked_terms) WITH ORDINALITY t (term, number) ON h.speaker @@ t.term OR h.day @@ t.term
    UNION ALL
    SELECT p.candidate, h.number, 0, h.hit FROM pairs p JOIN heard h ON h.id = p.neighbour
  ), by_term AS (
    SELECT id, number, own_weight * sum(own) AS own, own_weight * sum(own) + context_weight * sum(around) AS both
    FROM shares GROUP BY id, number
  ), spoken AS MATERIALIZED (
    SELECT b.id, sum(r.weight * b.both / (b.both + 1.2)) AS score, sum(r.weight * b.own / (b.own + 1.2)) AS own
    FROM by_term b JOIN rarities r ON r.number = b.number
    WHERE b.both > 0
    GROUP BY b.id
  ), kept AS MATERIALIZED (
    SELECT c.id, s.score AS word_score, s.own
    FROM candidates c LEFT JOIN spoken s ON s.id = c.id
    WHERE c.is_found OR s.score >= (asked->>'least_share')::float8 * (SELECT max(score) FROM spoken)
  ), looked_up AS MATERIALIZED (
    SELECT c.id, c.cosine FROM cosines_of('messages', me,
      CASE WHEN asked ? 'vector' THEN ARRAY(SELECT id FROM kept EXCEPT SELECT id FROM near) ELSE '{}' END,
      coalesce(asked->>'vector', '[0]'), asked->>'embedder') c
  ), voices AS MATERIALIZED (
    SELECT k.id, CASE WHEN k.word_score IS NOT NULL THEN (rank() OVER (ORDER BY k.word_score DESC NULLS LAST))::int END AS word_rank,
      k.word_score, near.place::int AS meaning_rank, coalesce(near.cosine, l.cosine) AS cosine,
      coalesce(m.search_text LIKE pattern, false) AS literal, 1 - k.own / k.word_score AS context, m.created_at
    FROM kept k JOIN messages m ON m.user_id = me AND m.id = k.id
    LEFT JOIN near ON near.id = k.id LEFT JOIN looked_up l ON l.id = k.id
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
  LEFT JOIN messages m ON m.user_id = me AND m.id = page.id
  ORDER BY page.score DESC, page.created_at DESC, page.id DESC;
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
-- Names mean the same whoever calls the functions, and the runtime's role calls those that keep to the set user. The other two are
-- to be inlined into them and have no settings of their own. Planning the search takes longer than running it over a few
-- thousand messages, and its plan hardly depends on what is asked: it is planned once for each connection.
DO $$
DECLARE
  home text := current_schema();
  vectors_in text := (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector');
  made record;
BEGIN
  FOR made IN
    SELECT p.oid::regprocedure AS signature, p.proname AS name FROM pg_proc p
    WHERE p.pronamespace = home::regnamespace
      AND p.proname IN ('message_fits', 'neighbours_of', 'search_messages', 'messages_of_span')
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', made.signature);
    IF made.name IN ('message_fits', 'neighbours_of') THEN
      CONTINUE;
    END IF;
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, %I, pg_temp', made.signature, home, vectors_in);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO palimpsest_runtime', made.signature);
    EXECUTE format(
      'ALTER FUNCTION %s SET plan_cache_mode = %s', made.signature,
      CASE made.name WHEN 'search_messages' THEN 'force_generic_plan' ELSE 'force_custom_plan' END
    );
  END LOOP;
END
$$;
