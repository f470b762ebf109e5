-- Searches messages by words, by meaning and by the messages around them, on the threads of conversations or, with `all_branches`,
-- also on abandoned branches. The candidates depend on the query alone and not on the page, so pages do not overlap and have
-- the same total; `by_time` (newest or oldest) sorts all candidates by time. Candidates are the messages whose own words rank
-- best, those nearest by meaning, and neighbours of the best messages if they rank high: an answer seldom repeats the words of
-- its question. A term counts three times in a candidate's own words, date and speaker, once in the two messages before and the
-- two after it in the same sitting, and twice in a question right before it. Repetitions of a term count less (BM25, k1 = 1.2).
-- Each term is weighted by the square root of its rarity among the messages that contain any term of the query. The scores for
-- words and for meaning are each divided by the best of their kind, so that a weak score of one kind cannot outweigh a strong
-- score of the other. Of a long query, only the rarest terms count (rarest_terms). Measurements: docs/benchmarks.md.
-- If no message contains a term of the query, the query is searched for as a piece of text, as a literal query always is. An
-- empty page is one row with the total and nulls. Statements whose plan depends on the frequency of words are executed as text,
-- as in search_passages.
-- The function runs as the owner of the tables and filters by the user of the transaction itself (ADR 7).
-- `asked` contains: pattern, literal, words, terms, inner_words, vector, dimensions, embedder, floor, since, until, said_by,
-- by_time, except_turn, grouped, all_branches, time_zone, word_candidates, meaning_candidates, expanded, sitting_seconds, min_share, own_weight, context_weight,
-- answered_weight, date_weight, speaker_weight, rarity_weight, meaning_weight, literal_weight, length_weight, question_weight, surroundings_weight,
-- max_terms, sampled.
CREATE FUNCTION search_messages(asked_agent uuid, asked jsonb, skipped int, page_size int) RETURNS TABLE (
  total int, id uuid, parent_id uuid, turn_id uuid, role text, speaker text, kind text, status text, content jsonb,
  "text" text, tokens int, trust text, created_at timestamptz, score float8, word_rank int, word_score float8, meaning_rank int,
  cosine float8, literal boolean, context float8, bonus float8, group_id uuid
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
  any_word tsquery := any_of_terms(asked->>'words', asked->>'terms');
  terms tsquery[] := terms_of(any_word);
  all_branches boolean := coalesce((asked->>'all_branches')::boolean, false);
  except_turn uuid := (asked->>'except_turn')::uuid;
  since timestamptz := (asked->>'since')::timestamptz;
  until timestamptz := (asked->>'until')::timestamptz;
  said_by text := asked->>'said_by';
  -- SQL on the row `i` of a message; its values are quoted.
  fitting text := format('message_fits(i, %L, %L, %L, %L, %L)', all_branches, except_turn, since, until, said_by);
  is_narrowed boolean := coalesce(since, until) IS NOT NULL OR said_by IS NOT NULL;
  -- Sorts the matches of a literal query by time, because they all have the same score.
  direction text := CASE WHEN asked->>'by_time' = 'oldest' THEN 'ASC' ELSE 'DESC' END;
  term_weights float8[] := '{}';
  word_ids uuid[] := '{}';
  piece_ids uuid[] := '{}';
  near_ids uuid[] := '{}';
  near_cosines float8[] := '{}';
  sought vector := asked->>'vector';
BEGIN
  IF me IS NULL OR NOT may_read_agent(asked_agent) THEN
    RETURN;
  END IF;
  IF asked ? 'vector' AND is_searched_otherwise(me, asked_agent, asked) THEN
    RETURN NEXT;
    RETURN;
  END IF;
  IF (asked->>'literal')::boolean THEN
    RETURN QUERY EXECUTE format(
      'WITH matches AS MATERIALIZED (
         SELECT i.id, i.created_at FROM messages i
         WHERE i.user_id = $1 AND i.agent_id = $2 AND i.search_text LIKE $3
           AND (coalesce(numnode($4), 0) = 0 OR i.words @@ $4 OR length(i.search_text) > 100000) AND %1$s
       ), page AS (
         SELECT * FROM matches ORDER BY created_at %2$s, id %2$s OFFSET $5 LIMIT $6
       )
       SELECT t.total, m.id, m.parent_id, m.turn_id, m.role, m.speaker, m.kind, m.status, m.content, m.text, m.tokens,
         m.trust, m.created_at, $7, NULL::int, NULL::float8, NULL::int, NULL::float8, true, NULL::float8, NULL::float8, NULL::uuid
       FROM (SELECT count(*)::int AS total FROM matches) t
       LEFT JOIN page ON true
       LEFT JOIN messages m ON m.user_id = $1 AND m.id = page.id
       ORDER BY page.created_at %2$s, page.id %2$s',
      fitting, direction
    ) USING me, asked_agent, asked->>'pattern', plainto_tsquery('english'::regconfig, nullif(asked->>'inner_words', '')), skipped,
      page_size, (asked->>'literal_weight')::float8;
    RETURN;
  END IF;
  IF asked ? 'vector' THEN
    -- Messages on abandoned branches have vectors, too. Without further filters, four times as many vectors are read and these
    -- messages are dropped afterwards, which costs less than a filter in the search for vectors.
    SELECT coalesce(array_agg(n.id ORDER BY n.cosine DESC, n.id), '{}'), coalesce(array_agg(n.cosine ORDER BY n.cosine DESC, n.id), '{}')
      INTO near_ids, near_cosines
    FROM (
      SELECT v.id, v.cosine
      FROM nearest_vectors('messages', me, ARRAY[asked_agent], sought, (asked->>'dimensions')::int, asked->>'embedder',
        (asked->>'meaning_candidates')::int * CASE WHEN is_narrowed THEN 1 ELSE 4 END, CASE WHEN is_narrowed THEN fitting END) f
      CROSS JOIN LATERAL unnest(f.near_ids, f.near_cosines) v (id, cosine)
      CROSS JOIN LATERAL (
        SELECT FROM messages i
        WHERE i.user_id = me AND i.id BETWEEN v.id AND v.id AND message_fits(i, all_branches, except_turn, since, until, said_by)
        ORDER BY i.id LIMIT 1
      ) i
      WHERE v.cosine >= (asked->>'floor')::float8
      ORDER BY v.cosine DESC, v.id
      LIMIT (asked->>'meaning_candidates')::int
    ) n;
  END IF;
  IF cardinality(terms) > (asked->>'max_terms')::int THEN
    SELECT r.kept, r.any_selective INTO terms, any_word FROM rarest_terms(terms, (asked->>'max_terms')::int, ARRAY(
      SELECT m.words FROM messages m WHERE m.user_id = me AND m.agent_id = asked_agent AND m.search_text IS NOT NULL
      ORDER BY m.created_at DESC, m.id DESC LIMIT (asked->>'sampled')::int
    )) r;
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
       SELECT m.id, rounded((SELECT sum(h.hit * h.weight) FROM unnest(m.hits, r.weights) h (hit, weight))) AS score
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
  RETURN QUERY SELECT * FROM rank_messages(me, asked, terms, term_weights, word_ids, piece_ids, near_ids, near_cosines, skipped, page_size,
    asked_agent, sought, fitting);
END
$$;
