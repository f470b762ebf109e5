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
ALTER TABLE "node_memories" ADD CONSTRAINT "node_memories_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "node_memories_conversation_index" ON "node_memories" USING btree ("user_id","conversation");--> statement-breakpoint
CREATE INDEX "node_memories_updated_index" ON "node_memories" USING btree ("user_id","updated_at");