-- Returns the SQL that finds the vectors nearest to a given one among those of some agents or archives of a user, with their
-- cosines. It compares all vectors (`is_exact`), or uses the HNSW index. Vectors have length 1, so the inner product is the cosine
-- and costs a third of the cosine operator; the index supports the cosine operator only.
-- Parameters of the SQL: $1 user, $2 holders, $3 vector, $4 its embedder, $5 the number of vectors. `filter` is SQL on the row `v`.
-- `IS TRUE` keeps the planner from looking users up by the primary key: a plan is made once for each connection, perhaps while the
-- table is empty, and must still serve when the table is full.
CREATE FUNCTION nearest_statement(items text, width int, kind text, is_exact boolean, filter text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT format(
    'SELECT coalesce(array_agg(n.id ORDER BY n.distance, n.id), ''{}''), coalesce(array_agg(%5$s ORDER BY n.distance, n.id), ''{}'')
     FROM (
       SELECT v.%1$I AS id, v.embedding %4$s $3::%2$s AS distance
       FROM %3$I v
       WHERE (v.user_id = $1) IS TRUE AND v.%7$I = ANY ($2) AND v.embedder = $4 %8$s
       ORDER BY %6$s
       LIMIT $5
     ) n',
    c.item, kind, items || '_' || width,
    CASE WHEN is_exact THEN '<#>' ELSE '<=>' END, CASE WHEN is_exact THEN '-n.distance' ELSE '1 - n.distance' END,
    CASE WHEN is_exact THEN 'distance, id' ELSE 'distance' END,
    c.holder, filter
  )
  FROM vector_columns(items) c
$$;
