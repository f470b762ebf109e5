-- Groups the statements on the subjects of the best hits: each anchor with the two later statements that are most akin to it,
-- whether the query found them or not. A statement that is akin to two anchors is in the group of the nearer one; if one anchor
-- is in the group of the other, there is one group.
-- Kinship is the cosine to the anchor, plus 0.4 for a word that only the two share (less the more later statements contain it),
-- 0.2 for the words that the anchor shares with the query, and 0.8 of how much nearer to the query it is than the anchor: a later
-- statement seldom repeats the words of a question, but often the old value. Numbers are not such words: dates share them. Without
-- vectors, a cosine of 0.35 is assumed.
-- Measured: docs/benchmarks.md. One statement serves both anchors, because planning it and reading the later statements is most of
-- the cost.
-- `anchor_ids`: at most two, with their scores. `candidates`: what the query found. `fitting`: SQL on the row `i` of a later
-- statement; the caller has quoted the values in it.
-- Not for the runtime's role: it trusts its caller about the user.
CREATE FUNCTION statement_groups(
  items text, me text, of_holder uuid, asked jsonb, query_terms tsquery[], anchor_ids uuid[], anchor_scores float8[],
  candidates uuid[], fitting text
) RETURNS TABLE (id uuid, group_id uuid, created_at timestamptz, score float8) LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  vectors regclass := to_regclass(quote_ident(items || '_' || (asked->>'dimensions')));
  names record := vector_columns(items);
  about_query text[] := tsvector_to_array(to_tsvector('english'::regconfig, plain_words(coalesce(asked->>'words', ''))));
  cosines text := CASE WHEN vectors IS NULL THEN 'SELECT NULL::uuid AS about, NULL::uuid AS id, NULL::float8 AS near, NULL::float8 AS nearer'
    ELSE format(
      'SELECT a.%1$I AS about, v.%1$I AS id, -(v.embedding <#> a.embedding) AS near, (a.embedding <#> q.sought) - (v.embedding <#> q.sought) AS nearer
       FROM %2$s v, %2$s a, (SELECT $10::%3$s AS sought) q
       WHERE v.user_id = $1 AND v.%1$I = ANY (ARRAY(SELECT id FROM later)) AND v.embedder = $11
         AND a.user_id = $1 AND a.%1$I = ANY ($3) AND a.embedder = $11',
      names.item, vectors,
      (SELECT format_type(t.atttypid, NULL) FROM pg_attribute t WHERE t.attrelid = vectors AND t.attname = 'embedding')
    ) END;
  anchor uuid;
  anchor_words tsvector;
  anchor_at timestamptz;
  anchor_times timestamptz[] := '{}';
  own_terms tsquery[];
  -- Of all anchors: whole words with the anchor that each is of, and the words that an anchor shares with the query.
  own_anchors uuid[] := '{}';
  all_own tsquery[] := '{}';
  shared_anchors uuid[] := '{}';
  shared_terms tsquery[] := '{}';
  kin jsonb;
BEGIN
  IF cardinality(anchor_ids) = 0 THEN
    RETURN;
  END IF;
  FOREACH anchor IN ARRAY anchor_ids LOOP
    IF items = 'messages' THEN
      SELECT i.words, i.created_at INTO anchor_words, anchor_at FROM messages i WHERE i.user_id = me AND i.id = anchor;
    ELSE
      SELECT i.words, i.created_at INTO anchor_words, anchor_at FROM passages i WHERE i.user_id = me AND i.id = anchor;
    END IF;
    anchor_times := anchor_times || anchor_at;
    -- Whole words, of which the longest are the rarest.
    own_terms := ARRAY(
      SELECT quote_literal(w.lexeme)::tsquery FROM unnest(ts_delete(anchor_words, about_query)) w
      WHERE w.lexeme !~ '^(~|[0-9]+$)' AND position('\' IN w.lexeme) = 0
      ORDER BY length(w.lexeme) DESC, w.lexeme LIMIT 16
    );
    all_own := all_own || own_terms;
    own_anchors := own_anchors || array_fill(anchor, ARRAY[cardinality(own_terms)]);
    own_terms := ARRAY(SELECT t FROM unnest(query_terms) t WHERE anchor_words @@ t);
    shared_terms := shared_terms || own_terms;
    shared_anchors := shared_anchors || array_fill(anchor, ARRAY[cardinality(own_terms)]);
  END LOOP;
  EXECUTE format(
    'WITH anchors AS MATERIALIZED (
       SELECT a.id, a.at FROM unnest($3, $4) a (id, at)
     ), found AS MATERIALIZED (
       SELECT i.id, i.created_at, i.words FROM %1$I i
       WHERE i.user_id = $1 AND i.%2$I = $2 AND i.words @@ $7 AND i.created_at > $12 AND %3$s
     ), candidates AS MATERIALIZED (
       SELECT i.id, i.created_at, i.words
       FROM unnest($9) c (id) CROSS JOIN LATERAL (
         SELECT * FROM %1$I i WHERE i.user_id = $1 AND i.id BETWEEN c.id AND c.id ORDER BY i.id LIMIT 1
       ) i
       WHERE i.created_at > $12 AND %3$s
     ), matches AS MATERIALIZED (
       SELECT a.id AS about, f.id, f.created_at, f.words, ARRAY(
           SELECT t.number FROM unnest($5, $6) WITH ORDINALITY t (about, term, number) WHERE t.about = a.id AND f.words @@ t.term
         ) AS own
       FROM anchors a, found f WHERE f.created_at > a.at
     ), rarities AS MATERIALIZED (
       SELECT o.number, 1 / (1 + ln(count(*))) AS rarity FROM matches, unnest(own) o (number) GROUP BY o.number
     ), later AS MATERIALIZED (
       SELECT l.* FROM (
         SELECT m.about, m.id, m.created_at, m.words, m.rarity,
           row_number() OVER (PARTITION BY m.about ORDER BY m.rarity DESC, m.created_at DESC, m.id DESC) AS place
         FROM (SELECT m.*, (SELECT max(r.rarity) FROM rarities r WHERE r.number = ANY (m.own)) AS rarity FROM matches m WHERE m.own <> ''{}'') m
       ) l
       WHERE l.place <= 50
       UNION ALL
       SELECT a.id, c.id, c.created_at, c.words, 0, NULL
       FROM anchors a, candidates c
       WHERE c.created_at > a.at
         AND NOT EXISTS (SELECT FROM unnest($5, $6) t (about, term) WHERE t.about = a.id AND c.words @@ t.term)
     ), cosines AS MATERIALIZED (%4$s), akin AS (
       SELECT l.about, l.id, l.created_at, rounded(coalesce(c.near, 0.35) + 0.4 * l.rarity + 0.8 * coalesce(c.nearer, 0)
         + 0.2 * coalesce((SELECT avg((l.words @@ t.term)::int) FROM unnest($8, $13) t (about, term) WHERE t.about = l.about), 0)) AS kinship
       FROM later l LEFT JOIN cosines c ON c.id = l.id AND c.about = l.about
     )
     SELECT jsonb_agg(jsonb_build_object(''id'', k.id, ''about'', k.about, ''kinship'', k.kinship, ''at'', k.created_at, ''about_at'', a.at))
     FROM (
       SELECT akin.*, row_number() OVER (PARTITION BY about ORDER BY kinship DESC, created_at DESC, id DESC) AS place
       FROM akin WHERE kinship >= 0.55
     ) k JOIN anchors a ON a.id = k.about
     WHERE k.place <= 2',
    items, names.holder, fitting, cosines
  ) INTO kin USING me, of_holder, anchor_ids, anchor_times, own_anchors, all_own, any_term(all_own), shared_anchors, candidates,
    asked->>'vector', asked->>'embedder', (SELECT min(t) FROM unnest(anchor_times) t), shared_terms;
  RETURN QUERY
  WITH nearest AS MATERIALIZED (
    SELECT DISTINCT ON (k.id) k.* FROM jsonb_to_recordset(coalesce(kin, '[]')) k (id uuid, about uuid, kinship float8, at timestamptz, about_at timestamptz)
    ORDER BY k.id, k.kinship DESC, k.about
  ), members AS (
    SELECT k.id, k.about, k.at FROM nearest k
    UNION
    SELECT k.about, k.about, k.about_at FROM nearest k WHERE NOT EXISTS (SELECT FROM nearest o WHERE o.id = k.about)
  ), grouped AS MATERIALIZED (
    SELECT m.id, coalesce(k.about, m.about) AS group_id, m.at FROM members m LEFT JOIN nearest k ON k.id = m.about
  )
  SELECT g.id, g.group_id, g.at, (
    SELECT max(a.score) FROM unnest(anchor_ids, anchor_scores) a (id, score) JOIN grouped o ON o.id = a.id
    WHERE o.group_id = g.group_id
  ) FROM grouped g;
END
$$;
