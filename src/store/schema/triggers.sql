-- The triggers. All except the last three run once per statement, and read the deleted or changed rows in the table `gone`.
CREATE TRIGGER agents_grants AFTER DELETE ON agents
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION end_grants_of_agent();
--> statement-breakpoint
CREATE TRIGGER attachments_objects AFTER DELETE ON attachments
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION drop_unnamed_objects();
--> statement-breakpoint
CREATE TRIGGER node_memories_moved AFTER UPDATE ON node_memories
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION drop_node_objects();
--> statement-breakpoint
CREATE TRIGGER node_memories_gone AFTER DELETE ON node_memories
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION drop_node_objects();
--> statement-breakpoint
CREATE TRIGGER conversations_nodes AFTER DELETE ON conversations
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION drop_nodes_of_conversations();
--> statement-breakpoint
CREATE TRIGGER passages_synopses AFTER DELETE ON passages
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_synopses();
--> statement-breakpoint
CREATE TRIGGER passages_replaced AFTER DELETE ON passages
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION relink_replaced();
--> statement-breakpoint
CREATE TRIGGER agent_modules_gone AFTER DELETE ON agent_modules
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION drop_unheld_modules();
--> statement-breakpoint
CREATE TRIGGER module_grants_gone AFTER DELETE ON module_grants
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION end_module_grants();
--> statement-breakpoint
CREATE TRIGGER grants_revisions AFTER DELETE ON grants
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_agents_of_revisions();
--> statement-breakpoint
CREATE TRIGGER users_editors AFTER DELETE ON users
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_editors();
--> statement-breakpoint
CREATE TRIGGER modules_guard BEFORE UPDATE ON modules
  FOR EACH ROW WHEN (OLD.user_id IS DISTINCT FROM nullif(current_setting('palimpsest.user_id', true), '')) EXECUTE FUNCTION guard_module();
--> statement-breakpoint
CREATE TRIGGER passages_statements AFTER UPDATE OF replaced_by ON passages
  FOR EACH ROW WHEN (OLD.replaced_by IS DISTINCT FROM NEW.replaced_by) EXECUTE FUNCTION link_passages();
--> statement-breakpoint
CREATE TRIGGER revisions_undone AFTER INSERT ON revisions
  FOR EACH ROW WHEN (NEW.undoes IS NOT NULL) EXECUTE FUNCTION unlink_undone();
