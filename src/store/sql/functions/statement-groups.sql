-- Groups the statements on the subjects of the best hits: each anchor with the two later statements that are most akin to it,
-- whether the query found them or not. A statement that is akin to two anchors is in the group of the nearer one; if one anchor
-- is in the group of the other, there is one group.
-- Kinship is the cosine to the anchor, plus 0.4 for a word that only the two share (less the more later statements contain it),
-- 0.2 for the words that the anchor shares with the query, and 0.8 of how much nearer to the query it is than the anchor: a later
-- statement seldom repeats the words of a question, but often the old value. Numbers are not such words: dates share them. Without
-- vectors, a cosine of 0.35 is assumed.
-- Measured: docs/benchmarks.md. Most of the cost is planning and starting statements, hence few, for both anchors. Only the one that
-- finds later statements by words, at most the 200 newest, is planned at every call: its plan depends on how frequent the words are.
-- `anchor_ids`: at most two, with their scores. `candidates`: statements that the query found. `fitting`: SQL on the row `i` of a
-- later statement; the caller has quoted the values in it.
-- Not for the runtime's role: it trusts its caller about the user.
CREATE FUNCTION statement_groups(
  items text, me text, of_holder uuid, asked jsonb, sought vector, query_terms tsquery[], anchor_ids uuid[], anchor_scores float8[],
  candidates uuid[], fitting text
) RETURNS TABLE (id uuid, group_id uuid, created_at timestamptz, score float8) LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  about_query text[] := tsvector_to_array(to_tsvector('english'::regconfig, plain_words(coalesce(asked->>'words', ''))));
  anchor_count int := cardinality(anchor_ids);
  -- The anchors, the candidates, and then the others that were found.
  ids uuid[];
  times timestamptz[];
  texts tsvector[];
  -- Whole words that the query lacks, and the number of the anchor that has each.
  own_terms tsquery[];
  owners int[];
  any_own tsquery;
  found record;
  cosines record;
BEGIN
  IF anchor_count = 0 THEN
    RETURN;
  END IF;
  IF items = 'messages' THEN
    SELECT array_agg(i.id ORDER BY c.place), array_agg(i.created_at ORDER BY c.place), array_agg(i.words ORDER BY c.place)
      INTO ids, times, texts
    FROM unnest(anchor_ids || candidates) WITH ORDINALITY c (id, place)
    CROSS JOIN LATERAL (SELECT * FROM messages i WHERE i.user_id = me AND i.id BETWEEN c.id AND c.id ORDER BY i.id LIMIT 1) i
    WHERE i.agent_id = of_holder;
  ELSE
    SELECT array_agg(i.id ORDER BY c.place), array_agg(i.created_at ORDER BY c.place), array_agg(i.words ORDER BY c.place)
      INTO ids, times, texts
    FROM unnest(anchor_ids || candidates) WITH ORDINALITY c (id, place)
    CROSS JOIN LATERAL (SELECT * FROM passages i WHERE i.user_id = me AND i.id BETWEEN c.id AND c.id ORDER BY i.id LIMIT 1) i
    WHERE i.archive_id = of_holder;
  END IF;
  -- The longest are the rarest.
  SELECT array_agg(w.term::tsquery), array_agg(a.number), string_agg(w.term, ' | ')::tsquery INTO own_terms, owners, any_own
  FROM unnest(texts[1:anchor_count]) WITH ORDINALITY a (words, number)
  CROSS JOIN LATERAL (
    SELECT quote_literal(w.lexeme) AS term FROM unnest(ts_delete(a.words, about_query)) w
    WHERE w.lexeme !~ '^(~|[0-9]+$)' AND position('\' IN w.lexeme) = 0
    ORDER BY length(w.lexeme) DESC, w.lexeme LIMIT 6
  ) w;
  IF any_own IS NOT NULL THEN
    EXECUTE format(
      'WITH matches AS MATERIALIZED (
         SELECT i.id, i.created_at, i.words FROM %I i
         WHERE i.user_id = $1 AND i.%I = $2 AND i.words @@ $3 AND i.created_at > $4 AND i.id <> ALL ($5) AND %s
       )
       SELECT array_agg(l.id) AS ids, array_agg(l.created_at) AS times, array_agg(l.words) AS texts
       FROM (SELECT * FROM matches ORDER BY created_at DESC, id DESC LIMIT 200) l',
      items, (vector_columns(items)).holder, fitting
    ) INTO found USING me, of_holder, any_own, least(times[1], CASE WHEN anchor_count > 1 THEN times[2] END), ids;
    ids := ids || found.ids;
    times := times || found.times;
    texts := texts || found.texts;
  END IF;
  IF to_regclass(quote_ident(items || '_' || (asked->>'dimensions'))) IS NOT NULL THEN
    EXECUTE format('SELECT * FROM %I($1, $2, $3, $4, $5)', 'kin_cosines_' || items || '_' || (asked->>'dimensions'))
      INTO cosines USING me, anchor_ids, ids, sought, asked->>'embedder';
  ELSE
    SELECT NULL::uuid[] AS abouts, NULL::uuid[] AS ids, NULL::float8[] AS nears, NULL::float8[] AS nearers INTO cosines;
  END IF;
  RETURN QUERY
  WITH rows AS MATERIALIZED (
    SELECT * FROM unnest(ids, times, texts) WITH ORDINALITY r (id, at, words, number)
  ), anchors AS MATERIALIZED (
    SELECT * FROM rows r WHERE r.number <= anchor_count
  ), later AS MATERIALIZED (
    SELECT a.number AS about, a.id AS about_id, r.id, r.at, r.words, r.words @@ any_own AS has_own
    FROM anchors a JOIN rows r ON r.at > a.at AND r.number > anchor_count
  ), own AS MATERIALIZED (
    SELECT l.about, l.id, t.number FROM unnest(own_terms, owners) WITH ORDINALITY t (term, owner, number)
    JOIN later l ON l.has_own AND l.about = t.owner AND l.words @@ t.term
  ), rarities AS (
    SELECT o.number, 1 / (1 + ln(count(*))) AS rarity FROM own o GROUP BY o.number
  ), rare AS (
    SELECT o.about, o.id, max(r.rarity) AS rarity FROM own o JOIN rarities r ON r.number = o.number GROUP BY o.about, o.id
  ), shared AS MATERIALIZED (
    SELECT a.number AS about, t.term FROM anchors a JOIN unnest(query_terms) t (term) ON a.words @@ t.term
  ), akin AS (
    SELECT l.about_id, l.id, l.at, rounded(coalesce(c.near, 0.35) + 0.4 * coalesce(r.rarity, 0) + 0.8 * coalesce(c.nearer, 0)
      + 0.2 * coalesce((SELECT avg((l.words @@ s.term)::int) FROM shared s WHERE s.about = l.about), 0)) AS kinship
    FROM later l
    LEFT JOIN rare r ON r.about = l.about AND r.id = l.id
    LEFT JOIN unnest(cosines.abouts, cosines.ids, cosines.nears, cosines.nearers) c (about, id, near, nearer)
      ON c.id = l.id AND c.about = l.about_id
  ), nearest AS MATERIALIZED (
    SELECT DISTINCT ON (k.id) k.id, k.about_id, k.at
    FROM (
      SELECT a.*, row_number() OVER (PARTITION BY a.about_id ORDER BY a.kinship DESC, a.at DESC, a.id DESC) AS place
      FROM akin a WHERE a.kinship >= 0.55
    ) k
    WHERE k.place <= 2
    ORDER BY k.id, k.kinship DESC, k.about_id
  ), members AS (
    SELECT n.id, n.about_id, n.at FROM nearest n
    UNION ALL
    SELECT a.id, a.id, a.at FROM anchors a
    WHERE EXISTS (SELECT FROM nearest n WHERE n.about_id = a.id) AND NOT EXISTS (SELECT FROM nearest n WHERE n.id = a.id)
  ), grouped AS MATERIALIZED (
    SELECT m.id, coalesce(n.about_id, m.about_id) AS group_id, m.at FROM members m LEFT JOIN nearest n ON n.id = m.about_id
  )
  SELECT g.id, g.group_id, g.at, (
    SELECT max(a.score) FROM unnest(anchor_ids, anchor_scores) a (id, score) JOIN grouped o ON o.id = a.id
    WHERE o.group_id = g.group_id
  ) FROM grouped g;
END
$$;
