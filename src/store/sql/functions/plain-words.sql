-- Returns a text as PostgreSQL's word parser gets it, for queries and for the `words` columns of messages and passages.
-- Punctuation becomes spaces, because the parser drops what looks like a tag, keeps addresses and file names as one word, and
-- decides by the server's locale which other marks are letters. The text is cut so that its words fit into a tsvector.
-- The function has no SET clauses, so that the planner inlines it.
CREATE FUNCTION plain_words(written text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT translate(left(written, 100000), '<>@/\.:;,_=+*&?!#%~|^`"$()[]{}-–—―…‘’‚“”„«»‹›¿¡·•、。「」『』《》؟،؛।', repeat(' ', 61))
$$;
