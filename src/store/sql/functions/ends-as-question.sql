-- Whether a folded text ends in a question mark of any script. Folding makes a full-width mark `?` and a Greek one `;`.
-- One expression and no settings of its own: the planner inlines it.
CREATE FUNCTION ends_as_question(written text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT right(rtrim(written, E' \t\r\n"\'»”’)]}*_~!.…'), 1) = ANY ('{?,;,؟,⸮,፧,՞,꘏}'::text[])
$$;
