-- The names of two columns in a table of vectors: the column of the archive or agent that holds the item, and that of the item.
CREATE FUNCTION vector_columns(items text, OUT holder text, OUT item text) LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE items WHEN 'passages' THEN 'archive_id' ELSE 'agent_id' END, CASE items WHEN 'passages' THEN 'passage_id' ELSE 'message_id' END
$$;
