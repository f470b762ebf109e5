-- Searches archival memory, which is the agent's own archive and those of the sources attached to it, by words and by meaning.
-- The candidates depend on the query alone and not on the page, so pages do not overlap and the total is the same for each.
-- The floor is for passages that were found by meaning alone. If no passage contains a term of the query, the query is searched
-- for as a piece of text, as a literal query always is. An empty page is one row with the total and nulls.
-- Statements whose plan depends on the frequency of words are executed as text, because PostgreSQL plans such statements at
-- every call. The others are planned once: with these settings, a plan that was made for empty tables also suits full ones.
-- The function runs as the owner of the tables and filters by the user of the transaction itself (ADR 7).
-- `asked` contains: pattern, literal, words, terms, identifiers, inner_words, vector, dimensions, embedder, floor, tags, all_tags,
-- kinds, sources, since, until, now, grouped, importance, word_candidates, meaning_candidates, meaning_weight, literal_weight,
-- importance_weight, max_terms, sampled, common, min_selected.
CREATE FUNCTION search_passages(asked_agent uuid, asked jsonb, skipped int, page_size int) RETURNS TABLE (
  total int, id uuid, content text, tags jsonb, kind text, origin text, trust text, importance float8, created_at timestamptz,
  source_id uuid, source_name text, place jsonb, score float8, word_rank int, word_score float8, meaning_rank int, cosine float8,
  literal boolean, identifier boolean, weight float8, replaced_by uuid, replacement jsonb, group_id uuid
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path FROM CURRENT
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
  archives uuid[];
  -- `any_word` ranks the hits, `selective` selects the passages to rank.
  any_word tsquery;
  selective tsquery;
  -- What selects hits, in this order, until enough are found.
  passes tsquery[];
  terms tsquery[];
  has_several_words boolean;
  newest tsvector[];
  -- SQL on the row `i` of a passage; its values are quoted.
  fitting text := CASE WHEN asked ?| ARRAY['tags', 'all_tags', 'kinds', 'since', 'until', 'importance']
    THEN format('passage_fits(i, %L, %L, %L, %L, %L, %L)',
      CASE WHEN asked ? 'tags' THEN ARRAY(SELECT jsonb_array_elements_text(asked->'tags')) END,
      CASE WHEN asked ? 'all_tags' THEN ARRAY(SELECT jsonb_array_elements_text(asked->'all_tags')) END,
      CASE WHEN asked ? 'kinds' THEN ARRAY(SELECT jsonb_array_elements_text(asked->'kinds')) END,
      asked->>'since', asked->>'until', asked->>'importance') END;
  word_ids uuid[];
  word_scores float8[];
  literals boolean[];
  identified boolean[];
  near_ids uuid[] := '{}';
  near_cosines float8[] := '{}';
  other_ids uuid[] := '{}';
  other_cosines float8[] := '{}';
  sought vector := asked->>'vector';
BEGIN
  IF me IS NULL OR NOT may_read_agent(asked_agent) THEN
    RETURN;
  END IF;
  IF asked ? 'vector' AND is_searched_otherwise(me, asked_agent, asked) THEN
    RETURN NEXT;
    RETURN;
  END IF;
  archives := ARRAY(
    SELECT asked_agent WHERE NOT asked ? 'sources'
    UNION ALL
    SELECT s.id FROM agent_sources a JOIN sources s ON s.user_id = me AND s.id = a.source_id
    WHERE a.user_id = me AND a.agent_id = asked_agent
      AND (NOT asked ? 'sources' OR s.name IN (SELECT jsonb_array_elements_text(asked->'sources')))
  );
  IF (asked->>'literal')::boolean THEN
    RETURN QUERY EXECUTE format(
      'WITH matches AS MATERIALIZED (
         SELECT i.id, i.created_at FROM passages i
         WHERE i.user_id = $1 AND i.archive_id = ANY ($2) AND i.search_text LIKE $3
           AND (coalesce(numnode($4), 0) = 0 OR i.words @@ $4 OR length(i.search_text) > 100000) AND %s
       ), page AS (
         SELECT * FROM matches ORDER BY created_at DESC, id DESC OFFSET $5 LIMIT $6
       )
       SELECT t.total, p.id, p.content, to_jsonb(p.tags), p.kind, p.origin, p.trust, p.importance, p.created_at, p.source_id, s.name,
         p.place, $7, NULL::int, NULL::float8, NULL::int, NULL::float8, true, false, importance_of(p, $8), p.replaced_by,
         replacement_of($1, p.replaced_by), NULL::uuid
       FROM (SELECT count(*)::int AS total FROM matches) t
       LEFT JOIN page ON true
       LEFT JOIN passages p ON p.user_id = $1 AND p.id = page.id
       LEFT JOIN sources s ON s.user_id = $1 AND s.id = p.source_id
       ORDER BY page.created_at DESC, page.id DESC',
      coalesce(fitting, 'true')
    ) USING me, archives, asked->>'pattern', plainto_tsquery('english'::regconfig, nullif(asked->>'inner_words', '')), skipped,
      page_size, (asked->>'literal_weight')::float8, (asked->>'now')::timestamptz;
    RETURN;
  END IF;
  any_word := any_of_terms(asked->>'words', asked->>'terms');
  passes := ARRAY[any_word];
  terms := terms_of(any_word);
  -- A single word, with its parts, is never left out.
  has_several_words := (SELECT count(*) > 1 FROM unnest(terms) t (term) WHERE t.term::text NOT LIKE '''~%');
  IF has_several_words OR cardinality(terms) > (asked->>'max_terms')::int THEN
    newest := ARRAY(
      SELECT p.words FROM unnest(archives) a (id) CROSS JOIN LATERAL (
        SELECT p.words FROM passages p WHERE p.user_id = me AND p.archive_id = a.id
        ORDER BY p.created_at DESC, p.id DESC LIMIT (asked->>'sampled')::int / cardinality(archives) + 1
      ) p
    );
  END IF;
  IF cardinality(terms) > (asked->>'max_terms')::int THEN
    SELECT any_term(r.kept), ARRAY[r.any_selective] INTO any_word, passes
    FROM rarest_terms(terms, (asked->>'max_terms')::int, newest) r;
  -- If no archive fills its part of the sample, there are too few passages for a common word.
  ELSIF has_several_words AND cardinality(newest) * cardinality(archives) > (asked->>'sampled')::int THEN
    selective := selective_terms(terms, newest, me, archives, (asked->>'common')::int);
    -- `any_word` may contain a term twice.
    IF numnode(selective) < numnode(any_term(terms)) THEN
      passes := ARRAY[selective, any_word];
    END IF;
  END IF;
  FOREACH selective IN ARRAY passes LOOP
    EXECUTE format(
      'SELECT coalesce(array_agg(l.id), ''{}''), array_agg(l.score), array_agg(l.search_text LIKE $5), array_agg(l.identifier)
       FROM (
         SELECT i.id, i.search_text, %s AS identifier, ts_rank(''{0.5, 0.3, 0.5, 1}'', i.words, $3)::float8 AS score
         FROM passages i
         WHERE i.user_id = $1 AND i.archive_id = ANY ($2) AND i.words @@ $7 AND %s
         ORDER BY score DESC, i.id
         LIMIT $4
       ) l',
      CASE WHEN asked ? 'identifiers' THEN 'i.words @@ $6' ELSE 'false' END, coalesce(fitting, 'true')
    ) INTO word_ids, word_scores, literals, identified USING me, archives, any_word, (asked->>'word_candidates')::int,
      asked->>'pattern', (asked->>'identifiers')::tsquery, selective;
    EXIT WHEN cardinality(word_ids) >= (asked->>'min_selected')::int;
  END LOOP;
  IF word_ids = '{}' THEN
    EXECUTE format(
      'SELECT coalesce(array_agg(l.id), ''{}''), array_agg(true)
       FROM (
         SELECT i.id FROM passages i
         WHERE i.user_id = $1 AND i.archive_id = ANY ($2) AND i.search_text LIKE $3 AND %s
         ORDER BY i.created_at DESC, i.id DESC
         LIMIT $4
       ) l',
      coalesce(fitting, 'true')
    ) INTO word_ids, literals USING me, archives, asked->>'pattern', (asked->>'word_candidates')::int;
  END IF;
  IF asked ? 'vector' THEN
    SELECT n.* INTO near_ids, near_cosines, other_ids, other_cosines
    FROM nearest_vectors('passages', me, archives, sought, (asked->>'dimensions')::int, asked->>'embedder',
      (asked->>'meaning_candidates')::int, fitting, word_ids) n;
  END IF;
  RETURN QUERY SELECT * FROM rank_passages(me, asked, word_ids, word_scores, literals, identified, near_ids, near_cosines,
    other_ids, other_cosines, skipped, page_size, asked_agent, sought, terms, coalesce(fitting, 'true'));
END
$$;
