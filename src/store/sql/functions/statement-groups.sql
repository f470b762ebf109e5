-- Groups the statements on the subjects of the best hits: each anchor with the two later statements that are most akin to it,
-- whether the query found them or not. A statement that is akin to two anchors is in the group of the nearer one; if one anchor
-- is in the group of the other, there is one group.
-- Kinship is the cosine to the anchor, plus 0.4 for a word that only the two share (less the more later statements contain it),
-- 0.2 for the words that the anchor shares with the query, and 0.8 of how much nearer to the query it is than the anchor: a later
-- statement seldom repeats the words of a question, but often the old value. Numbers are not such words: dates share them. Without
-- vectors, a cosine of 0.35 is assumed.
-- A pair that a rare word and the words of the query could not bring to the bound of kinship, 0.55, is left out before the words
-- are compared. Measured: docs/benchmarks.md. Only the statement that finds later statements by words, at most the 200 newest, is
-- planned at every call: its plan depends on how frequent the words are, and reads the newest alone if they are. Its callers and the
-- transaction turn sorts and loops off for their own statements; hence they are on again.
-- Of the anchors, at most two, and of the statements that the query found (`ids`): ids, times and words, and the scores of the
-- anchors. `fitting`: SQL on the row `i` of a later statement; the caller has quoted the values in it.
-- Not for the runtime's role: it trusts its caller about the user.
CREATE FUNCTION statement_groups(
  items text, me text, of_holder uuid, asked jsonb, sought vector, query_terms tsquery[], anchor_ids uuid[], anchor_scores float8[],
  anchor_times timestamptz[], anchor_texts tsvector[], ids uuid[], times timestamptz[], texts tsvector[], fitting text
) RETURNS TABLE (id uuid, group_id uuid, created_at timestamptz, score float8) LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_sort = on
SET enable_nestloop = on
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  about_query text[] := tsvector_to_array(to_tsvector('english'::regconfig, plain_words(coalesce(asked->>'words', ''))));
  earliest timestamptz := least(anchor_times[1], anchor_times[2]);
  -- Whole words that the query lacks, and the anchor that has each.
  own_terms tsquery[];
  owners uuid[];
  any_own tsquery;
  found record;
  kin record;
BEGIN
  IF anchor_ids IS NULL THEN
    RETURN;
  END IF;
  -- The longest are the rarest.
  SELECT array_agg(w.term::tsquery), array_agg(a.id), string_agg(w.term, ' | ')::tsquery INTO own_terms, owners, any_own
  FROM unnest(anchor_ids, anchor_texts) a (id, words)
  CROSS JOIN LATERAL (
    SELECT quote_literal(w.lexeme) AS term FROM unnest(ts_delete(a.words, about_query)) w
    WHERE w.lexeme !~ '^(~|[0-9]+$)' AND position('\' IN w.lexeme) = 0
    ORDER BY length(w.lexeme) DESC, w.lexeme LIMIT 6
  ) w;
  IF any_own IS NOT NULL THEN
    EXECUTE format(
      'SELECT array_agg(l.id) AS ids, array_agg(l.created_at) AS times, array_agg(l.words) AS texts
       FROM (
         SELECT i.id, i.created_at, i.words FROM %I i
         WHERE i.user_id = $1 AND i.%I = $2 AND i.words @@ $3 AND i.created_at > $4 AND i.id <> ALL ($5) AND %s
         ORDER BY i.created_at DESC, i.id DESC LIMIT 200
       ) l',
      items, (vector_columns(items)).holder, fitting
    ) INTO found USING me, of_holder, any_own, earliest, ids || anchor_ids;
    ids := ids || found.ids;
    times := times || found.times;
    texts := texts || found.texts;
  END IF;
  IF to_regclass(quote_ident(items || '_' || (asked->>'dimensions'))) IS NOT NULL THEN
    EXECUTE format('SELECT * FROM %I($1, $2, $3, $4, $5)', 'kin_cosines_' || items || '_' || (asked->>'dimensions')) INTO kin
      USING me, anchor_ids, ARRAY(SELECT r.id FROM unnest(ids, times) r (id, at) WHERE r.at > earliest), sought, asked->>'embedder';
  ELSE
    SELECT NULL::uuid[] AS abouts, NULL::uuid[] AS ids, NULL::float8[] AS nears, NULL::float8[] AS nearers INTO kin;
  END IF;
  RETURN QUERY
  WITH close AS MATERIALIZED (
    SELECT a.id AS about, r.id, r.at, r.words, a.words AS about_words, coalesce(c.near, 0.35) + 0.8 * coalesce(c.nearer, 0) AS kinship
    FROM unnest(anchor_ids, anchor_times, anchor_texts) a (id, at, words)
    JOIN unnest(ids, times, texts) r (id, at, words) ON r.at > a.at
    LEFT JOIN unnest(kin.abouts, kin.ids, kin.nears, kin.nearers) c (about, id, near, nearer) ON c.id = r.id AND c.about = a.id
    WHERE coalesce(c.near, 0.35) + 0.8 * coalesce(c.nearer, 0) >= -0.05
  ), rare AS (
    SELECT o.about, o.id, max(o.rarity) AS rarity
    FROM (
      SELECT c.about, c.id, 1 / (1 + ln(count(*) OVER (PARTITION BY c.about, t.term))) AS rarity
      FROM close c JOIN unnest(own_terms, owners) t (term, owner) ON t.owner = c.about AND c.words @@ t.term
    ) o
    GROUP BY o.about, o.id
  ), akin AS MATERIALIZED (
    SELECT k.about, k.id, k.at, rounded(k.total
      + 0.2 * coalesce((SELECT avg((k.words @@ t)::int) FROM unnest(query_terms) t WHERE k.about_words @@ t), 0)) AS kinship
    FROM (
      SELECT c.*, c.kinship + 0.4 * coalesce(r.rarity, 0) AS total FROM close c LEFT JOIN rare r ON r.about = c.about AND r.id = c.id
    ) k
    WHERE k.total >= 0.35
  ), nearest AS MATERIALIZED (
    SELECT DISTINCT ON (k.id) k.id, k.about, k.at
    FROM (
      SELECT a.*, row_number() OVER (PARTITION BY a.about ORDER BY a.kinship DESC, a.at DESC, a.id DESC) AS place
      FROM akin a WHERE a.kinship >= 0.55
    ) k
    WHERE k.place <= 2
    ORDER BY k.id, k.kinship DESC, array_position(anchor_ids, k.about)
  ), grouped AS MATERIALIZED (
    SELECT m.id, coalesce(n.about, m.about) AS group_id, m.at
    FROM (
      SELECT n.id, n.about, n.at FROM nearest n
      UNION ALL
      SELECT a.id, a.id, a.at FROM unnest(anchor_ids, anchor_times) a (id, at)
      WHERE EXISTS (SELECT FROM nearest n WHERE n.about = a.id) AND NOT EXISTS (SELECT FROM nearest n WHERE n.id = a.id)
    ) m
    LEFT JOIN nearest n ON n.id = m.about
  )
  SELECT g.id, g.group_id, g.at, (
    SELECT max(a.score) FROM unnest(anchor_ids, anchor_scores) a (id, score) JOIN grouped o ON o.id = a.id WHERE o.group_id = g.group_id
  ) FROM grouped g;
END
$$;
