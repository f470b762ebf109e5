-- The triggers. Each runs once for a statement and gets the rows that were deleted or changed as the table `gone`.
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
