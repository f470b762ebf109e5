-- Returns the text that PostgreSQL's word parser gets. Punctuation becomes spaces, because the parser drops what it takes for
-- tags and keeps addresses and file names as one word, and because it depends on the server's locale which other marks are letters. The text is cut so that its words fit into a tsvector.
-- The `words` columns of messages and passages are made from it, and so are queries.
-- No settings of its own: the planner inlines it.
CREATE FUNCTION plain_words(written text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT translate(left(written, 100000), '<>@/\.:;,_=+*&?!#%~|^`"$()[]{}-–—―…‘’‚“”„«»‹›¿¡·•、。「」『』《》؟،؛।', repeat(' ', 61))
$$;
