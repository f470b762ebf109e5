-- Returns one tsquery for each term of a query, without repetitions: `'lisbon'`, `'~harbour':*`. They are sorted by their
-- bytes, so that sums over them are the same on every server.
CREATE FUNCTION terms_of(query tsquery) RETURNS tsquery[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path FROM CURRENT
AS $$
BEGIN
  RETURN ARRAY(
    SELECT f.term::tsquery FROM (
      SELECT DISTINCT t[1] COLLATE "C" AS term FROM regexp_matches(query::text, '(''(?:[^'']|'''')*''(?::\*?[A-D]*)?)', 'g') t
    ) f
    ORDER BY f.term
  );
END
$$;
