-- Gives the runtime's role its rights on the schema and on functions; policies.sql gives it those on tables.
DO $$
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO palimpsest_runtime', current_schema());
END
$$;
--> statement-breakpoint
-- The generator revokes every function of src/store/sql/functions/ from PUBLIC; only these may be called by the
-- runtime's role. Policies call the first five, and a generated column calls plain_words. Trigger functions are
-- granted to no role: PostgreSQL checks the right to execute one when a trigger is created, not when it runs, and a role
-- with this right could attach the function to its own table.
GRANT EXECUTE ON FUNCTION
  may_read_agent, may_read_archive, owns_agent, may_see_module, may_edit_module,
  plain_words, refuse_unless, said_before, replaced_statements,
  share_agent, accept_offer, unshare_agent, verify_key, users_with_unfinished_turns, share_module, accept_module, ensure_vector_tables, importance_of, search_messages,
  messages_of_span, search_passages, searchable_memory
TO palimpsest_runtime;
