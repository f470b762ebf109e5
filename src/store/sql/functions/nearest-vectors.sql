-- Returns the vectors nearest to a given one, the nearest first, and the cosines of the items in `also` (see make_exact_scan).
-- Compares all vectors if they are few or have no HNSW index; otherwise uses the index. If the index finds too few vectors,
-- because a filter excludes most of those that it finds, compares all vectors that match the filter.
-- The values of hnsw.ef_search (`in_view`) are explained in docs/benchmarks.md, "How the engine behaves".
-- `fitting` is SQL on the row `i` of the item, or null; the caller has quoted the values in it.
-- Not granted to the runtime's role, because it trusts the user id that its caller passes.
-- With its default random_page_cost of 4, the planner compared all of 10,000 vectors instead of using the index (11 ms instead
-- of 2 ms). enable_seqscan is turned on here, because the searches that call this function turn it off.
CREATE FUNCTION nearest_vectors(
  items text, of_user text, holders uuid[], sought vector, width int, asked_embedder text, wanted int, fitting text,
  also uuid[] DEFAULT '{}',
  OUT near_ids uuid[], OUT near_cosines float8[], OUT other_ids uuid[], OUT other_cosines float8[]
) LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT
SET random_page_cost = 1.1
SET enable_seqscan = on
AS $$
DECLARE
  vectors regclass := to_regclass(quote_ident(items || '_' || width));
  filter text := CASE WHEN fitting IS NULL THEN '' ELSE format(
    'AND EXISTS (SELECT FROM %I i WHERE i.user_id = $1 AND i.id = v.%I AND (%s))', items,
    (vector_columns(items)).item, fitting
  ) END;
  kind text;
  is_indexed boolean;
  -- Up to this many vectors an exact scan is faster than the index (measured).
  few constant int := 4000;
  -- The table and its partitions, which have the indexes of a partitioned table.
  stored regclass[];
  has_more boolean;
  in_view int;
BEGIN
  IF vectors IS NULL THEN
    SELECT '{}', '{}', '{}', '{}' INTO near_ids, near_cosines, other_ids, other_cosines;
    RETURN;
  END IF;
  IF wanted > 0 THEN
    stored := array_append(ARRAY(SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = vectors), vectors);
    SELECT format_type(a.atttypid, NULL), EXISTS (
        SELECT FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid JOIN pg_am m ON m.oid = c.relam
        WHERE x.indrelid = ANY (stored) AND m.amname = 'hnsw' AND x.indisvalid
      )
      INTO kind, is_indexed FROM pg_attribute a WHERE a.attrelid = vectors AND a.attname = 'embedding';
  END IF;
  EXECUTE format('SELECT * FROM %I($1, $2, $3, $4, $5, $6, $7)', 'exact_scan_' || items || '_' || width)
    INTO near_ids, near_cosines, other_ids, other_cosines, has_more
    USING of_user, holders, sought, asked_embedder, CASE WHEN fitting IS NULL THEN wanted ELSE 0 END, also, CASE WHEN is_indexed THEN few END;
  IF has_more THEN
    in_view := (
      SELECT CASE WHEN max(c.reltuples) > 50000 THEN 400 WHEN max(c.reltuples) > 20000 THEN 200 ELSE 100 END
      FROM pg_class c WHERE c.oid = ANY (stored)
    );
    PERFORM set_config('hnsw.ef_search', greatest(in_view, wanted)::text, true);
    IF current_setting('hnsw.iterative_scan', true) IS NOT NULL THEN
      PERFORM set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.max_scan_tuples', '40000', true);
    END IF;
    EXECUTE nearest_statement(items, width, kind, false, filter) INTO near_ids, near_cosines
      USING of_user, holders, sought, asked_embedder, wanted;
  END IF;
  IF (has_more OR fitting IS NOT NULL) AND cardinality(near_ids) < wanted THEN
    EXECUTE nearest_statement(items, width, kind, true, filter) INTO near_ids, near_cosines
      USING of_user, holders, sought, asked_embedder, wanted;
  END IF;
END
$$;
