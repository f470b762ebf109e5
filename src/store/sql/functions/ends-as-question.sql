-- Whether a folded text ends in a question mark of any script. Folding turns a full-width mark into `?` and a Greek one into
-- `;`. One expression without SET clauses, so that the planner inlines it.
CREATE FUNCTION ends_as_question(written text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT right(rtrim(written, E' \t\r\n"\'»”’)]}*_~!.…'), 1) = ANY ('{?,;,؟,⸮,፧,՞,꘏}'::text[])
$$;
