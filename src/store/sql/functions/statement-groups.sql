-- Groups the statements on the subjects of the best hits: each anchor with the two later statements that are most akin to it,
-- whether the query found them or not. A statement that is akin to two anchors is in the group of the nearer one; if one anchor
-- is in the group of the other, there is one group.
-- Kinship is the cosine to the anchor, plus 0.4 for a word that only the two share (less the more later statements contain it),
-- 0.2 for the words that the anchor shares with the query, and 0.8 of how much nearer to the query it is than the anchor: a later
-- statement seldom repeats the words of a question, but often the old value. Numbers are not such words: dates share them. Without
-- vectors, a cosine of 0.35 is assumed.
-- Measured: docs/benchmarks.md.
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
  cosines text := CASE WHEN vectors IS NULL THEN 'SELECT NULL::uuid AS id, NULL::float8 AS near, NULL::float8 AS nearer' ELSE format(
    'SELECT v.%1$I AS id, -(v.embedding <#> a.embedding) AS near, (a.embedding <#> q.sought) - (v.embedding <#> q.sought) AS nearer
     FROM %2$s v, %2$s a, (SELECT $9::%3$s AS sought) q
     WHERE v.user_id = $1 AND v.%1$I = ANY (ARRAY(SELECT id FROM later)) AND v.embedder = $10
       AND a.user_id = $1 AND a.%1$I = $3 AND a.embedder = $10',
    names.item, vectors,
    (SELECT format_type(t.atttypid, NULL) FROM pg_attribute t WHERE t.attrelid = vectors AND t.attname = 'embedding')
  ) END;
  anchor uuid;
  anchor_words tsvector;
  anchor_at timestamptz;
  own_terms tsquery[];
  later jsonb;
  kin jsonb := '[]';
BEGIN
  FOREACH anchor IN ARRAY anchor_ids LOOP
    EXECUTE format('SELECT i.words, i.created_at FROM %I i WHERE i.user_id = $1 AND i.id = $2', items)
      INTO anchor_words, anchor_at USING me, anchor;
    -- Whole words, of which the longest are the rarest.
    own_terms := ARRAY(
      SELECT quote_literal(w.lexeme)::tsquery FROM unnest(ts_delete(anchor_words, about_query)) w
      WHERE w.lexeme !~ '^(~|[0-9]+$)' AND position('\' IN w.lexeme) = 0
      ORDER BY length(w.lexeme) DESC, w.lexeme LIMIT 16
    );
    EXECUTE format(
      'WITH matches AS MATERIALIZED (
         SELECT i.id, i.created_at, i.words, ARRAY(
             SELECT t.number FROM unnest($5) WITH ORDINALITY t (term, number) WHERE i.words @@ t.term
           ) AS own
         FROM %1$I i
         WHERE i.user_id = $1 AND i.%2$I = $2 AND i.words @@ $6 AND i.created_at > $4 AND %3$s
       ), rarities AS MATERIALIZED (
         SELECT o.number, 1 / (1 + ln(count(*))) AS rarity FROM matches, unnest(own) o (number) GROUP BY o.number
       ), later AS MATERIALIZED (
         (SELECT m.id, m.created_at, m.words, (SELECT max(r.rarity) FROM rarities r WHERE r.number = ANY (m.own)) AS rarity
          FROM matches m ORDER BY rarity DESC, m.created_at DESC, m.id DESC LIMIT 50)
         UNION ALL
         SELECT i.id, i.created_at, i.words, 0
         FROM unnest($8) c (id) CROSS JOIN LATERAL (
           SELECT * FROM %1$I i WHERE i.user_id = $1 AND i.id BETWEEN c.id AND c.id ORDER BY i.id LIMIT 1
         ) i
         WHERE i.created_at > $4 AND (i.words @@ $6) IS NOT TRUE AND %3$s
       ), cosines AS MATERIALIZED (%4$s), akin AS (
         SELECT l.id, l.created_at, rounded(coalesce(c.near, 0.35) + 0.4 * l.rarity + 0.8 * coalesce(c.nearer, 0)
           + 0.2 * coalesce((SELECT avg((l.words @@ t)::int) FROM unnest($7) t), 0)) AS kinship
         FROM later l LEFT JOIN cosines c ON c.id = l.id
       )
       SELECT jsonb_agg(jsonb_build_object(''id'', k.id, ''about'', $3, ''kinship'', k.kinship, ''at'', k.created_at, ''about_at'', $4))
       FROM (SELECT * FROM akin WHERE kinship >= 0.55 ORDER BY kinship DESC, created_at DESC, id DESC LIMIT 2) k',
      items, names.holder, fitting, cosines
    ) INTO later USING me, of_holder, anchor, anchor_at, own_terms, any_term(own_terms),
      ARRAY(SELECT t FROM unnest(query_terms) t WHERE anchor_words @@ t), candidates, asked->>'vector', asked->>'embedder';
    kin := kin || coalesce(later, '[]');
  END LOOP;
  RETURN QUERY
  WITH nearest AS MATERIALIZED (
    SELECT DISTINCT ON (k.id) k.* FROM jsonb_to_recordset(kin) k (id uuid, about uuid, kinship float8, at timestamptz, about_at timestamptz)
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
