-- Groups each of the best hits (an anchor; at most two) with the two later statements of the highest kinship, whether or not
-- the query found them. A statement that is akin to both anchors is in the group of the anchor with the higher kinship. If one
-- anchor is in the group of the other, there is one group.
-- Kinship is a sum: the cosine of statement and anchor; up to 0.4 if both have a word that the query lacks, less if many later
-- statements have it; up to 0.2 for words of the query that both have; 0.8 times how much nearer the statement is to the query
-- than the anchor. A later statement seldom repeats the words of a question, but often the old value. Numbers do not count as
-- words, because many dates share them. Without vectors, a cosine of 0.35 is assumed.
-- A pair whose cosines are too low for the minimum kinship of 0.55 is left out before words are compared.
-- The numbers were measured (docs/benchmarks.md). Only the SQL that finds later statements by words, at most the 200 newest, is
-- planned at every call: for frequent words, the best plan reads only the newest statements. Sorts and loops are turned
-- on here, because the callers and the transaction turn them off for their own statements.
-- Parameters: ids, times and words of the anchors and of the statements that the query found (`ids`), and scores of the
-- anchors. `fitting` is SQL on the row `i` of a later statement; the caller has quoted the values in it.
-- Not granted to the runtime's role, because it trusts the user id that its caller passes.
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
  -- Whole words of the anchors that the query lacks, and the anchor of each word.
  own_terms tsquery[];
  owners uuid[];
  any_own tsquery;
  found record;
  kin record;
BEGIN
  IF anchor_ids IS NULL THEN
    RETURN;
  END IF;
  -- Takes the six longest words of each anchor, because long words are usually the rarest.
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
