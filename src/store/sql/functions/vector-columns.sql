-- Returns the names of two columns of a vector table: `holder`, the archive or agent of a vector's text, and `item`, the text.
CREATE FUNCTION vector_columns(items text, OUT holder text, OUT item text) LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE items WHEN 'passages' THEN 'archive_id' ELSE 'agent_id' END, CASE items WHEN 'passages' THEN 'passage_id' ELSE 'message_id' END
$$;
