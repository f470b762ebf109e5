-- Creates the vector tables of a width (number of dimensions), for passages and messages, with index, policy and exact_scan
-- function. The runtime's role calls this function before it first uses a width, so it runs as the owner of the tables. If
-- several transactions call it at once, one creates the tables and the others find them.
-- Vectors are stored in the row. Out of line, each vector costs one more read, and an exact scan of 10,000 vectors took 2.7 to
-- 4.6 times as long; the planner does not count these reads, and would not use the index. Above 2,000 dimensions pgvector only
-- indexes half-precision numbers. The embedded engine builds such an index five times slower, so it stores full precision.
CREATE FUNCTION ensure_vector_tables(width int) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  home text := (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = 'passages'::regclass);
  own text := $own$user_id = (SELECT nullif(current_setting('palimpsest.user_id', true), ''))$own$;
  is_half boolean := width > 2000 AND version() !~ 'wasm|emscripten';
  made record;
BEGIN
  IF width IS NULL OR width < 1 OR width > 16000 THEN
    RAISE EXCEPTION 'expected vectors of 1 to 16000 dimensions, got %', width USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF to_regclass(format('%I.%I', home, 'messages_' || width)) IS NOT NULL THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('palimpsest vector tables', width));
  FOR made IN
    SELECT t.*, c.* FROM (VALUES ('passages', 'may_read_archive'), ('messages', 'may_read_agent')) t (items, allows)
    CROSS JOIN LATERAL vector_columns(t.items) c
  LOOP
    CONTINUE WHEN to_regclass(format('%I.%I', home, made.items || '_' || width)) IS NOT NULL;
    EXECUTE format(
      'CREATE TABLE %1$I.%2$I (
        user_id text NOT NULL, %3$I uuid NOT NULL, %4$I uuid NOT NULL, embedder text NOT NULL, embedding %5$s(%6$s) NOT NULL,
        PRIMARY KEY (user_id, %4$I, embedder),
        FOREIGN KEY (user_id, %4$I) REFERENCES %1$I.%7$I (user_id, id) ON DELETE CASCADE
      )',
      home, made.items || '_' || width, made.holder, made.item, CASE WHEN is_half THEN 'halfvec' ELSE 'vector' END, width, made.items
    );
    EXECUTE format(
      'ALTER TABLE %I.%I ALTER COLUMN embedding SET STORAGE %s', home, made.items || '_' || width,
      CASE WHEN width * (CASE WHEN is_half THEN 2 ELSE 4 END) <= 7600 THEN 'PLAIN' ELSE 'EXTERNAL' END
    );
    EXECUTE format(
      'CREATE INDEX %I ON %I.%I (%I, embedder)', made.items || '_' || width || '_holder_index', home, made.items || '_' || width, made.holder
    );
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I.%I TO palimpsest_runtime', home, made.items || '_' || width);
    EXECUTE format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY', home, made.items || '_' || width);
    EXECUTE format(
      'CREATE POLICY own_rows ON %I.%I TO palimpsest_runtime USING (%3$s) WITH CHECK (%3$s AND %4$s)', home,
      made.items || '_' || width, own, format('%s(%I)', made.allows, made.holder)
    );
    PERFORM make_exact_scan(made.items, width);
  END LOOP;
END
$$;
