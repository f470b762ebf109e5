CREATE TABLE "node_memories" (
	"user_id" text NOT NULL,
	"app" text NOT NULL,
	"conversation" text NOT NULL,
	"node" text NOT NULL,
	"place" text NOT NULL,
	"object_key" text NOT NULL,
	"revision" integer NOT NULL,
	"messages" integer NOT NULL,
	"bytes" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "node_memories_user_id_app_conversation_node_pk" PRIMARY KEY("user_id","app","conversation","node")
);
--> statement-breakpoint
ALTER TABLE "object_deletions" ADD COLUMN "due_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "node_memories" ADD CONSTRAINT "node_memories_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "node_memories_conversation_index" ON "node_memories" USING btree ("user_id","conversation");--> statement-breakpoint
CREATE INDEX "node_memories_updated_index" ON "node_memories" USING btree ("user_id","updated_at");
--> statement-breakpoint
DO $$
DECLARE
  own text := $own$user_id = (SELECT nullif(current_setting('palimpsest.user_id', true), ''))$own$;
BEGIN
  GRANT SELECT, INSERT, UPDATE, DELETE ON node_memories TO palimpsest_runtime;
  ALTER TABLE node_memories ENABLE ROW LEVEL SECURITY;
  EXECUTE format('CREATE POLICY own_rows ON node_memories TO palimpsest_runtime USING (%s) WITH CHECK (%1$s)', own);
END
$$;
--> statement-breakpoint
-- After a row has moved to another object or has gone, by whatever cascade: the object that it named goes as well, or is noted as
-- due. Every object is of one row, so nobody else can name it. It runs as the owner, since a cascade does.
CREATE FUNCTION drop_node_objects() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO object_deletions (user_id, place, object_key)
  SELECT g.user_id, g.place, g.object_key
  FROM gone g
  WHERE g.place <> 'database' AND NOT EXISTS (
    SELECT FROM node_memories m
    WHERE m.user_id = g.user_id AND m.app = g.app AND m.conversation = g.conversation AND m.node = g.node
      AND m.object_key = g.object_key
  )
  ON CONFLICT DO NOTHING;
  DELETE FROM object_parts p
  USING gone g
  WHERE g.place = 'database' AND p.user_id = g.user_id AND p.key = g.object_key AND NOT EXISTS (
    SELECT FROM node_memories m
    WHERE m.user_id = g.user_id AND m.app = g.app AND m.conversation = g.conversation AND m.node = g.node
      AND m.object_key = g.object_key
  );
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- A conversation takes its node memories along. They name it in words, since an application may have ids of its own.
CREATE FUNCTION drop_nodes_of_conversations() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  DELETE FROM node_memories m USING gone g WHERE m.user_id = g.user_id AND m.conversation = g.id::text;
  RETURN NULL;
END
$$;
--> statement-breakpoint
DO $$
DECLARE
  made text;
BEGIN
  FOREACH made IN ARRAY ARRAY['drop_node_objects', 'drop_nodes_of_conversations']
  LOOP
    EXECUTE format('ALTER FUNCTION %I() SET search_path = pg_catalog, %I, pg_temp', made, current_schema());
    EXECUTE format('REVOKE ALL ON FUNCTION %I() FROM PUBLIC', made);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %I() TO palimpsest_runtime', made);
  END LOOP;
END
$$;
--> statement-breakpoint
CREATE TRIGGER node_memories_moved AFTER UPDATE ON "node_memories"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION drop_node_objects();
--> statement-breakpoint
CREATE TRIGGER node_memories_gone AFTER DELETE ON "node_memories"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION drop_node_objects();
--> statement-breakpoint
CREATE TRIGGER conversations_nodes AFTER DELETE ON "conversations"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION drop_nodes_of_conversations();
