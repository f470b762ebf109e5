-- Bounds the cost of a long query. Keeps the `max_terms` terms that the fewest texts of a sample contain; these rank the hits.
-- Only the rarest of them also select hits: from the rarest on, up to the term with which their shares of the sample sum up to a
-- quarter. Otherwise a query whose words are in every text would rank every text by every word.
CREATE FUNCTION rarest_terms(terms tsquery[], max_terms int, sample tsvector[], OUT kept tsquery[], OUT any_selective tsquery)
LANGUAGE plpgsql IMMUTABLE
SET search_path FROM CURRENT
AS $$
DECLARE
  selective tsquery[];
BEGIN
  SELECT array_agg(r.term ORDER BY r.place), array_agg(r.term ORDER BY r.rank) FILTER (WHERE r.rarer < 0.25)
    INTO kept, selective
  FROM (
    SELECT s.*, row_number() OVER rarest AS rank,
      coalesce(sum(s.share) OVER (rarest ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS rarer
    FROM (
      SELECT t.term, t.place, coalesce(avg((w.words @@ t.term)::int), 0) AS share
      FROM unnest(terms) WITH ORDINALITY t (term, place) LEFT JOIN unnest(sample) w (words) ON true
      GROUP BY t.term, t.place
    ) s
    WINDOW rarest AS (ORDER BY s.share, s.place)
    ORDER BY s.share, s.place
    LIMIT max_terms
  ) r;
  any_selective := any_term(selective);
END
$$;
