-- Joins, ranks and reads the messages that were found by words and by meaning, and the messages next to the best of them.
-- `terms` are the terms of the query, one tsquery each; `term_weights` are their weights.
-- `bonus` is the sum of three parts: positive for a long message, negative for one that ends in a question mark, and positive
-- for one whose neighbours are similar to the query.
-- If `asked` has `grouped`, statements on one subject rank together, the newest first: the best three of those that edits of
-- memory link (linked_statements), or those that are similar to one of the best unlinked statements (statement_groups).
-- Not granted to the runtime's role, because it trusts the user id that its caller passes.
CREATE FUNCTION rank_messages(
  me text, asked jsonb, terms tsquery[], term_weights float8[], word_ids uuid[], piece_ids uuid[], near_ids uuid[], near_cosines float8[],
  skipped int, page_size int, asked_agent uuid, sought vector, fitting text
) RETURNS TABLE (
  total int, id uuid, parent_id uuid, turn_id uuid, role text, speaker text, kind text, status text, content jsonb,
  "text" text, tokens int, trust text, created_at timestamptz, score float8, word_rank int, word_score float8, meaning_rank int,
  cosine float8, literal boolean, context float8, bonus float8, group_id uuid
) LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
-- The planner does not know how few rows the CTEs have, and chose nested loops that took seconds on a long history.
SET enable_nestloop = off
-- Before PostgreSQL 18, a disabled loop that cannot be avoided makes a plan so expensive that PostgreSQL would JIT-compile it.
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  pattern text := asked->>'pattern';
  all_branches boolean := coalesce((asked->>'all_branches')::boolean, false);
  except_turn uuid := (asked->>'except_turn')::uuid;
  since timestamptz := (asked->>'since')::timestamptz;
  until timestamptz := (asked->>'until')::timestamptz;
  said_by text := asked->>'said_by';
  sitting interval := (asked->>'sitting_seconds')::float8 * interval '1 second';
  own_weight float8 := (asked->>'own_weight')::float8;
  context_weight float8 := (asked->>'context_weight')::float8;
  answered_weight float8 := (asked->>'answered_weight')::float8;
  date_weight float8 := (asked->>'date_weight')::float8;
  speaker_weight float8 := (asked->>'speaker_weight')::float8;
  meaning_weight float8 := (asked->>'meaning_weight')::float8;
  literal_weight float8 := (asked->>'literal_weight')::float8;
  length_weight float8 := (asked->>'length_weight')::float8;
  question_weight float8 := (asked->>'question_weight')::float8;
  surroundings_weight float8 := (asked->>'surroundings_weight')::float8;
  -- 1 sorts the newest first, -1 the oldest first, 0 by score.
  time_sign int := CASE asked->>'by_time' WHEN 'newest' THEN 1 WHEN 'oldest' THEN -1 ELSE 0 END;
  -- The messages whose neighbours are candidates, too.
  best_ids uuid[] := CASE WHEN context_weight > 0 THEN word_ids[1:(asked->>'expanded')::int] ELSE '{}' END;
  -- ts_rank divides the sum of 1 / n² over a term's occurrences (n = 1, 2, ...) by its limit, π² / 6. The factor reverts that.
  whole constant float8 := pi() * pi() / 6;
BEGIN
  RETURN QUERY
  WITH near AS MATERIALIZED (
    SELECT * FROM unnest(near_ids, near_cosines) WITH ORDINALITY n (id, cosine, place)
  ), neighbours AS MATERIALIZED (
    SELECT n.id FROM unnest(best_ids) b (id)
    CROSS JOIN LATERAL (
      SELECT m AS message FROM messages m WHERE m.user_id = me AND m.id BETWEEN b.id AND b.id ORDER BY m.id LIMIT 1
    ) m
    CROSS JOIN LATERAL neighbours_of(m.message, 2, sitting, except_turn) n
  ), named AS MATERIALIZED (
    SELECT id, bool_or(is_found) AS is_found
    FROM (
      SELECT unnest(word_ids || piece_ids || near_ids), true
      UNION ALL
      SELECT id, false FROM neighbours
    ) n (id, is_found)
    GROUP BY id
  ), candidates AS MATERIALIZED (
    SELECT n.id, n.is_found, m.*
    FROM named n CROSS JOIN LATERAL (
      SELECT m.words, coalesce(m.search_text LIKE pattern, false) AS literal, m.created_at,
        ln(1 + least(length(m.words), 50)) AS length,
        ends_as_question(m.search_text) AS is_question, m.role = 'user' OR m.speaker IS NOT NULL AS is_statement,
        m.speaker, to_char(m.created_at AT TIME ZONE (asked->>'time_zone'), 'FMDD FMMonth YYYY') AS day,
        b.around, b.before
      FROM messages m
      CROSS JOIN LATERAL (
        SELECT array_agg(b.id) AS around, (array_agg(b.id) FILTER (WHERE b.place = -1))[1] AS before
        FROM neighbours_of(m, 2, sitting, except_turn) b WHERE context_weight > 0 OR surroundings_weight > 0
      ) b
      WHERE m.user_id = me AND m.id BETWEEN n.id AND n.id AND message_fits(m, all_branches, except_turn, since, until, said_by)
      ORDER BY m.id LIMIT 1
    ) m
  ), pairs AS MATERIALIZED (
    SELECT c.id AS candidate, n.id AS neighbour, coalesce(n.id = c.before, false) AS is_before FROM candidates c, unnest(c.around) n (id)
  ), lines AS MATERIALIZED (
    SELECT id, words, is_question FROM candidates
    UNION ALL
    SELECT i.id, m.words, m.is_question FROM (SELECT neighbour AS id FROM pairs EXCEPT SELECT id FROM candidates) i
    CROSS JOIN LATERAL (
      SELECT m.words, ends_as_question(m.search_text) AS is_question FROM messages m WHERE m.user_id = me AND m.id BETWEEN i.id AND i.id ORDER BY m.id LIMIT 1
    ) m
  ), heard AS MATERIALIZED (
    SELECT l.id, l.is_question, t.number, ts_rank('{0.5, 0.3, 0.5, 1}', l.words, t.term) * whole AS hit
    FROM lines l JOIN unnest(terms) WITH ORDINALITY t (term, number) ON l.words @@ t.term
  ), labels AS MATERIALIZED (
    SELECT id, speaker AS label, speaker_weight AS weight FROM candidates WHERE speaker IS NOT NULL
    UNION ALL
    SELECT id, day, date_weight FROM candidates
  ), label_words AS MATERIALIZED (
    SELECT l.label, to_tsvector('english'::regconfig, plain_words(l.label)) AS words FROM (SELECT DISTINCT label FROM labels) l
  ), shares AS (
    SELECT c.id, h.number, h.hit AS own, 0 AS around FROM candidates c JOIN heard h ON h.id = c.id
    UNION ALL
    SELECT l.id, w.number, max(l.weight), 0
    FROM labels l
    JOIN (
      SELECT w.label, t.number FROM label_words w JOIN unnest(terms) WITH ORDINALITY t (term, number) ON w.words @@ t.term
    ) w ON w.label = l.label
    GROUP BY l.id, w.number
    UNION ALL
    SELECT p.candidate, h.number, 0, h.hit * CASE WHEN p.is_before AND h.is_question THEN answered_weight ELSE 1 END FROM pairs p JOIN heard h ON h.id = p.neighbour
  ), by_term AS (
    SELECT id, number, own_weight * sum(own) AS own, own_weight * sum(own) + context_weight * sum(around) AS both
    FROM shares GROUP BY id, number
  ), spoken AS MATERIALIZED (
    SELECT b.id, rounded(sum(w.weight * b.both / (b.both + 1.2))) AS score, rounded(sum(w.weight * b.own / (b.own + 1.2))) AS own
    FROM by_term b JOIN unnest(term_weights) WITH ORDINALITY w (weight, number) ON w.number = b.number
    WHERE b.both > 0
    GROUP BY b.id
  ), kept AS MATERIALIZED (
    SELECT c.id, c.literal, c.created_at, c.length, c.is_question, c.is_statement, s.score AS word_score, s.own
    FROM candidates c LEFT JOIN spoken s ON s.id = c.id
    WHERE c.is_found OR s.score >= (asked->>'min_share')::float8 * (SELECT max(score) FROM spoken)
  ), looked_up AS MATERIALIZED (
    SELECT o.id, o.cosine
    FROM nearest_vectors('messages', me, '{}', sought, (asked->>'dimensions')::int, asked->>'embedder', 0, NULL,
      ARRAY((SELECT id FROM kept UNION SELECT p.neighbour FROM pairs p JOIN kept k ON k.id = p.candidate) EXCEPT SELECT id FROM near)) f
    CROSS JOIN LATERAL unnest(f.other_ids, f.other_cosines) o (id, cosine)
  ), nearby AS MATERIALIZED (
    SELECT p.candidate AS id, avg(greatest(c.cosine, 0)) AS cosine
    FROM pairs p JOIN (SELECT id, cosine FROM near UNION ALL SELECT id, cosine FROM looked_up) c ON c.id = p.neighbour
    GROUP BY p.candidate
  ), voices AS MATERIALIZED (
    SELECT k.*, near.place::int AS meaning_rank, coalesce(near.cosine, l.cosine) AS cosine, n.cosine AS around
    FROM kept k LEFT JOIN near ON near.id = k.id LEFT JOIN looked_up l ON l.id = k.id LEFT JOIN nearby n ON n.id = k.id
  ), meant AS MATERIALIZED (
    SELECT *, greatest(cosine, 0) / nullif(greatest(max(cosine) OVER (), 0), 0) AS meaning,
      around / nullif(greatest(max(cosine) OVER (), 0), 0) AS surroundings
    FROM voices
  ), ranked AS MATERIALIZED (
    SELECT *, CASE WHEN word_score IS NOT NULL THEN (rank() OVER (ORDER BY word_score DESC NULLS LAST))::int END AS word_rank,
      1 - own / word_score AS context,
      rounded(length_weight * coalesce(length / nullif(max(length) OVER (), 0), 0)
        - CASE WHEN is_question THEN question_weight ELSE 0 END
        + surroundings_weight * coalesce(surroundings, 0)) AS bonus
    FROM meant
  ), scored AS MATERIALIZED (
    SELECT *, rounded(
      coalesce(word_score / nullif(max(word_score) OVER (), 0), 0) + meaning_weight * coalesce(meaning, 0)
        + CASE WHEN literal THEN literal_weight ELSE 0 END + bonus
    ) AS score
    FROM ranked
  ), anchors AS MATERIALIZED (
    SELECT s.id, s.score, s.created_at FROM scored s
    WHERE asked ? 'grouped' AND s.is_statement AND NOT s.is_question AND s.score >= 0.5 * (SELECT max(score) FROM scored)
    ORDER BY s.score DESC, s.created_at DESC, s.id DESC LIMIT 2
  ), linked AS MATERIALIZED (
    SELECT l.id, l.group_id, l.created_at,
      row_number() OVER (PARTITION BY l.group_id ORDER BY l.id = l.group_id DESC, s.score DESC, l.created_at DESC, l.id) AS place,
      max(s.score) OVER (PARTITION BY l.group_id) AS score
    FROM linked_statements(me, asked_agent, asked, CASE WHEN asked ? 'grouped' THEN
      ARRAY(SELECT id FROM scored WHERE is_statement AND NOT is_question) ELSE '{}' END) l
    LEFT JOIN scored s ON s.id = l.id
  ), grouped AS MATERIALIZED (
    SELECT g.*
    FROM (
      SELECT array_agg(a.id ORDER BY a.score DESC, a.created_at DESC, a.id DESC) AS ids,
        array_agg(a.score ORDER BY a.score DESC, a.created_at DESC, a.id DESC) AS scores,
        array_agg(a.created_at ORDER BY a.score DESC, a.created_at DESC, a.id DESC) AS times,
        array_agg(c.words ORDER BY a.score DESC, a.created_at DESC, a.id DESC) AS texts
      FROM anchors a JOIN candidates c ON c.id = a.id WHERE NOT EXISTS (SELECT FROM linked l WHERE l.id = a.id)
    ) a
    CROSS JOIN (
      SELECT array_agg(s.id) AS ids, array_agg(s.created_at) AS times, array_agg(c.words) AS texts
      FROM scored s JOIN candidates c ON c.id = s.id WHERE s.is_statement AND NOT s.is_question
    ) c
    CROSS JOIN LATERAL statement_groups('messages', me, asked_agent, asked, sought, terms, a.ids, a.scores, a.times, a.texts,
      c.ids, c.times, c.texts, fitting || ' AND (i.role = ''user'' OR i.speaker IS NOT NULL) AND NOT ends_as_question(i.search_text)') g
    WHERE asked ? 'grouped' AND NOT EXISTS (SELECT FROM linked l WHERE l.id = g.id)
    UNION ALL
    SELECT l.id, l.group_id, l.created_at, l.score FROM linked l WHERE l.place <= 3
  ), placed AS MATERIALIZED (
    SELECT id, coalesce(s.score, g.score) AS score, CASE WHEN time_sign = 0 THEN coalesce(g.score, s.score)
        ELSE time_sign * extract(epoch FROM s.created_at)::float8 END AS place, coalesce(s.created_at, g.created_at) AS created_at,
      g.group_id, s.word_rank, s.word_score, s.meaning_rank, s.cosine, coalesce(s.literal, false) AS literal, s.context, s.bonus
    FROM scored s FULL JOIN grouped g USING (id)
  ), page AS (
    SELECT * FROM placed ORDER BY place DESC, created_at DESC, id DESC OFFSET skipped LIMIT page_size
  )
  SELECT t.total, m.id, m.parent_id, m.turn_id, m.role, m.speaker, m.kind, m.status, m.content, m.text, m.tokens, m.trust,
    m.created_at, page.score, page.word_rank, page.word_score, page.meaning_rank, page.cosine, page.literal, page.context,
    page.bonus, page.group_id
  FROM (SELECT count(*)::int AS total FROM placed) t
  LEFT JOIN page ON true
  LEFT JOIN LATERAL (
    SELECT * FROM messages m WHERE m.user_id = me AND m.id BETWEEN page.id AND page.id ORDER BY m.id LIMIT 1
  ) m ON true
  ORDER BY page.place DESC, page.created_at DESC, page.id DESC;
END
$$;
