-- Bounds the cost of a query: otherwise a word that is in every text would make the search rank every text. `kept`, which ranks
-- the hits, contains the `max_terms` terms that the fewest texts of a sample contain. `any_selective`, which selects the hits,
-- contains the rarest of these: terms are added, the rarest first, until the sum of their shares of the sample is a quarter. A
-- term that is in a quarter of the sample or more is added only if no rarer term is in the sample.
CREATE FUNCTION rarest_terms(terms tsquery[], max_terms int, sample tsvector[], OUT kept tsquery[], OUT any_selective tsquery)
LANGUAGE plpgsql IMMUTABLE
SET search_path FROM CURRENT
AS $$
DECLARE
  selective tsquery[];
BEGIN
  SELECT array_agg(r.term ORDER BY r.place), array_agg(r.term ORDER BY r.rank) FILTER (WHERE r.rarer < 0.25 AND (r.share < 0.25 OR r.rarer = 0))
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
