-- What the runtime's role may use besides the tables (policies.sql).
DO $$
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO palimpsest_runtime', current_schema());
END
$$;
--> statement-breakpoint
-- The generator revokes every function of src/store/sql/functions/ from PUBLIC; only these may be called by the runtime's role.
-- Policies call the first three, a generated column calls plain_words, and the last four are functions of triggers.
GRANT EXECUTE ON FUNCTION
  may_use_agent, may_use_archive, owns_agent,
  plain_words,
  share_agent, ensure_vector_tables, importance_of, search_messages, messages_of_span, search_passages,
  drop_unnamed_objects, drop_node_objects, drop_nodes_of_conversations, forget_synopses
TO palimpsest_runtime;
