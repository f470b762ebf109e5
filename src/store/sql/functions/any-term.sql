-- Returns a tsquery for texts with any of the terms; null if there are no terms.
CREATE FUNCTION any_term(terms tsquery[]) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path FROM CURRENT
AS $$
BEGIN
  RETURN (SELECT string_agg(t.term::text, ' | ' ORDER BY t.place)::tsquery FROM unnest(terms) WITH ORDINALITY t (term, place));
END
$$;
