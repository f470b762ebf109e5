-- Returns a query that any of the terms satisfies that select hits: all terms but common words. A word is common
-- if a quarter of a sample and more than `common` passages contain it: ranking these would take longer than the rest of the search.
-- A part of words (`'~harbour':*`) is always kept. If nothing but parts would be left, no term is left out.
-- Whether there are more than `common` passages is asked as text, because the best plan depends on how frequent the word is.
-- Not for the runtime's role: it trusts its caller about the user.
CREATE FUNCTION selective_terms(terms tsquery[], sample tsvector[], me text, archives uuid[], common int) RETURNS tsquery
LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT
SET enable_seqscan = off
AS $$
DECLARE
  term tsquery;
  kept tsquery[] := '{}';
  is_part boolean;
  is_common boolean;
  has_other boolean := false;
BEGIN
  FOREACH term IN ARRAY terms LOOP
    is_part := term::text LIKE '''~%';
    is_common := NOT is_part AND cardinality(sample) <= 4 * (SELECT count(*) FROM unnest(sample) s (words) WHERE s.words @@ term);
    IF is_common THEN
      EXECUTE format('SELECT EXISTS (
        SELECT FROM passages p WHERE p.user_id = $1 AND p.archive_id = ANY ($2) AND p.words @@ %L::tsquery OFFSET $3
      )', term) INTO is_common USING me, archives, common;
    END IF;
    IF NOT is_common THEN
      kept := kept || term;
      has_other := has_other OR NOT is_part;
    END IF;
  END LOOP;
  RETURN any_term(CASE WHEN has_other THEN kept ELSE terms END);
END
$$;
