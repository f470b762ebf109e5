-- Joins, ranks and reads the passages that were found by words and by meaning. `other_cosines` has the cosine of each passage
-- found by words, however small. Each score is divided by the best of its kind, so that a weak score of one kind cannot
-- outweigh a strong score of the other; in measurements, the sum of these ranked best. Whether a passage contains the query's
-- text or identifiers is known for passages found by words, and read for the others.
-- A replaced passage ranks behind its replacement: if both were found, the replacement gets the better of the two scores, and
-- the score of the replaced passage is halved.
-- If `asked` has `grouped`, the agent's own passages on one subject rank together, the newest first (statement_groups).
-- Not granted to the runtime's role, because it trusts the user id that its caller passes.
CREATE FUNCTION rank_passages(
  me text, asked jsonb, word_ids uuid[], word_scores float8[], literals boolean[], identified boolean[], near_ids uuid[],
  near_cosines float8[], other_ids uuid[], other_cosines float8[], skipped int, page_size int, asked_agent uuid, sought vector, terms tsquery[],
  fitting text
) RETURNS TABLE (
  total int, id uuid, content text, tags jsonb, kind text, origin text, trust text, importance float8, created_at timestamptz,
  source_id uuid, source_name text, place jsonb, score float8, word_rank int, word_score float8, meaning_rank int, cosine float8,
  literal boolean, identifier boolean, weight float8, replaced_by uuid, replacement jsonb, group_id uuid
) LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  -- Most users have no replaced passages; then no rows are read to find replacements.
  has_replaced boolean := EXISTS (SELECT FROM passages p WHERE p.user_id = me AND p.replaced_by IS NOT NULL);
  is_grouped boolean := asked ? 'grouped';
  pattern text := asked->>'pattern';
  least_cosine float8 := (asked->>'floor')::float8;
  identifiers tsquery := (asked->>'identifiers')::tsquery;
  meaning_weight float8 := (asked->>'meaning_weight')::float8;
  literal_weight float8 := (asked->>'literal_weight')::float8;
  importance_weight float8 := (asked->>'importance_weight')::float8;
  as_of timestamptz := (asked->>'now')::timestamptz;
  -- The first word score is the best one. The best cosine may be one of `other_cosines`.
  best_score float8 := word_scores[1];
  best_cosine float8 := greatest(
    CASE WHEN near_cosines[1] >= least_cosine THEN near_cosines[1] END, (SELECT max(c) FROM unnest(other_cosines) c)
  );
BEGIN
  RETURN QUERY
  WITH scored AS MATERIALIZED (
    SELECT f.id, f.word_rank, f.word_score, f.meaning_rank, f.cosine, coalesce(f.literal, p.literal, false) AS literal,
      coalesce(f.identifier, p.identifier, false) AS identifier,
      rounded(coalesce(f.word_score / nullif(best_score, 0), 0)
        + meaning_weight * coalesce(greatest(f.cosine, 0) / nullif(greatest(best_cosine, 0), 0), 0)
        + CASE WHEN coalesce(f.literal, p.literal) THEN literal_weight
          WHEN coalesce(f.identifier, p.identifier) THEN literal_weight / 2 ELSE 0 END
        + importance_weight * coalesce(p.weight, 0)) AS score,
      p.archive_id, p.replaced_by, p.created_at, p.words
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
      SELECT p.archive_id, p.replaced_by, p.created_at, p.words, CASE WHEN f.word_rank IS NULL THEN p.search_text LIKE pattern END AS literal,
        CASE WHEN f.word_rank IS NULL THEN p.words @@ identifiers END AS identifier,
        CASE WHEN importance_weight <> 0 THEN importance_of(p, as_of) END AS weight
      FROM passages p
      WHERE (f.word_rank IS NULL OR importance_weight <> 0 OR is_grouped OR has_replaced) AND p.user_id = me AND p.id BETWEEN f.id AND f.id
      ORDER BY p.id LIMIT 1
    ) p ON true
  ), replaced AS MATERIALIZED (
    SELECT f.id, f.score, current_passage(me, f.replaced_by) AS current FROM scored f WHERE f.replaced_by IS NOT NULL
  ), ranked AS MATERIALIZED (
    SELECT f.id, f.word_rank, f.word_score, f.meaning_rank, f.cosine, f.literal, f.identifier, r.id IS NOT NULL AS is_replaced,
      f.archive_id = asked_agent AS is_own, f.created_at, f.words,
      CASE WHEN n.id IS NULL THEN greatest(f.score, b.score) ELSE f.score / 2 END AS score
    FROM scored f
    LEFT JOIN replaced r ON r.id = f.id
    LEFT JOIN scored n ON n.id = r.current
    LEFT JOIN (SELECT r.current, max(r.score) AS score FROM replaced r GROUP BY r.current) b ON b.current = f.id
  ), anchors AS MATERIALIZED (
    SELECT s.id, s.score, s.created_at, s.words FROM ranked s
    WHERE is_grouped AND s.is_own AND s.score >= 0.5 * (SELECT max(score) FROM ranked)
    ORDER BY s.score DESC, s.id LIMIT 2
  ), grouped AS MATERIALIZED (
    SELECT g.*
    FROM (
      SELECT array_agg(id) AS ids, array_agg(score) AS scores, array_agg(created_at) AS times, array_agg(words) AS texts FROM anchors
    ) a
    CROSS JOIN (
      SELECT array_agg(id) AS ids, array_agg(created_at) AS times, array_agg(words) AS texts FROM ranked WHERE is_own AND NOT is_replaced
    ) c
    CROSS JOIN LATERAL statement_groups('passages', me, asked_agent, asked, sought, terms, a.ids, a.scores, a.times, a.texts,
      c.ids, c.times, c.texts, fitting || ' AND i.replaced_by IS NULL') g
    WHERE is_grouped
  ), placed AS MATERIALIZED (
    SELECT id, coalesce(s.score, g.score) AS score, coalesce(g.score, s.score) AS place, g.created_at, g.group_id, s.word_rank,
      s.word_score, s.meaning_rank, s.cosine, coalesce(s.literal, false) AS literal, coalesce(s.identifier, false) AS identifier,
      coalesce(s.is_replaced, false) AS is_replaced
    FROM ranked s FULL JOIN grouped g USING (id)
  ), page AS (
    SELECT * FROM placed ORDER BY place DESC, is_replaced, created_at DESC NULLS LAST, id OFFSET skipped LIMIT page_size
  )
  SELECT t.total, p.id, p.content, to_jsonb(p.tags), p.kind, p.origin, p.trust, p.importance, p.created_at, p.source_id, p.source_name,
    p.place, page.score, page.word_rank, page.word_score, page.meaning_rank, page.cosine, page.literal, page.identifier, p.weight,
    p.replaced_by, replacement_of(me, p.replaced_by), page.group_id
  FROM (SELECT count(*)::int AS total FROM placed) t
  LEFT JOIN page ON true
  LEFT JOIN LATERAL (
    SELECT p.*, (SELECT s.name FROM sources s WHERE s.user_id = me AND s.id = p.source_id) AS source_name, importance_of(p, as_of) AS weight
    FROM passages p WHERE p.user_id = me AND p.id BETWEEN page.id AND page.id ORDER BY p.id LIMIT 1
  ) p ON true
  ORDER BY page.place DESC, page.is_replaced, page.created_at DESC NULLS LAST, page.id;
END
$$;
