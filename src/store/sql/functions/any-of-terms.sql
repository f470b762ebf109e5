-- Returns a tsquery for texts that contain any of `words` or of `terms` (a tsquery as text); null if neither has a search term.
-- PostgreSQL's own parser makes and quotes the lexemes of the words; only the operators between them are replaced.
-- The language is PL/pgSQL, because PostgreSQL plans an SQL function with SET clauses again at every call.
CREATE FUNCTION any_of_terms(words text, terms text) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path FROM CURRENT
AS $$
DECLARE
  all_words tsquery := plainto_tsquery('english'::regconfig, plain_words(words));
  any_word tsquery;
BEGIN
  IF numnode(all_words) = 0 THEN
    RETURN terms::tsquery;
  END IF;
  any_word := regexp_replace(all_words::text, ''' (&|<->|<[0-9]+>) ''', ''' | ''', 'g');
  RETURN CASE WHEN terms IS NULL THEN any_word ELSE any_word || terms::tsquery END;
END
$$;
