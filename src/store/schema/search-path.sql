-- The search path for the rest of the migration's transaction. Functions with SET search_path FROM CURRENT keep this path, so
-- that names in a function mean the same for each caller. It contains the schema of the tables and the schema of pgvector.
-- PostgreSQL searches pg_catalog before them; temporary tables come last, so they cannot replace a table.
SELECT set_config('search_path', format('%I, %I, pg_temp', current_schema(), n.nspname), true)
FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector';
