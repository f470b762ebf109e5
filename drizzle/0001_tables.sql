CREATE TABLE "agents" (
	"user_id" text NOT NULL,
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"model" text NOT NULL,
	"protocol" text NOT NULL,
	"memory_type" text NOT NULL,
	"system_prompt" text NOT NULL,
	"settings" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agents_name_key" UNIQUE("user_id","name")
);
--> statement-breakpoint
CREATE TABLE "compactions" (
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"summary" text NOT NULL,
	"through_id" uuid NOT NULL,
	"through_position" integer NOT NULL,
	"messages" integer NOT NULL,
	"tokens_before" integer NOT NULL,
	"tokens_after" integer NOT NULL,
	"model" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "compactions_user_id_id_pk" PRIMARY KEY("user_id","id")
);
--> statement-breakpoint
CREATE TABLE "conversations" (
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"title" text,
	"leaf_id" uuid,
	"leaf_position" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "conversations_user_id_id_pk" PRIMARY KEY("user_id","id")
);
--> statement-breakpoint
CREATE TABLE "grants" (
	"user_id" text NOT NULL,
	"agent_id" uuid NOT NULL,
	"owner_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "grants_user_id_agent_id_pk" PRIMARY KEY("user_id","agent_id")
);
--> statement-breakpoint
CREATE TABLE "inputs" (
	"user_id" text NOT NULL,
	"agent_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"idempotency_key" text NOT NULL,
	"status" text NOT NULL,
	"message_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "inputs_user_id_conversation_id_idempotency_key_pk" PRIMARY KEY("user_id","conversation_id","idempotency_key")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"parent_id" uuid,
	"turn_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"author" text NOT NULL,
	"role" text NOT NULL,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"content" jsonb NOT NULL,
	"text" text NOT NULL,
	"search_text" text,
	"words" "tsvector" GENERATED ALWAYS AS (to_tsvector('english'::regconfig, left(search_text, 100000))) STORED,
	"tokens" integer NOT NULL,
	"on_thread" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "messages_user_id_id_pk" PRIMARY KEY("user_id","id")
);
--> statement-breakpoint
CREATE TABLE "modules" (
	"user_id" text NOT NULL,
	"agent_id" uuid NOT NULL,
	"label" text NOT NULL,
	"position" integer NOT NULL,
	"scope" text NOT NULL,
	"description" text,
	"value" text NOT NULL,
	"max_length" integer NOT NULL,
	"read_only" boolean NOT NULL,
	"revision" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "modules_user_id_agent_id_label_pk" PRIMARY KEY("user_id","agent_id","label")
);
--> statement-breakpoint
CREATE TABLE "passages" (
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"conversation_id" uuid,
	"kind" text NOT NULL,
	"tags" text[] NOT NULL,
	"origin" text NOT NULL,
	"source_id" uuid,
	"content" text NOT NULL,
	"search_text" text NOT NULL,
	"words" "tsvector" GENERATED ALWAYS AS (to_tsvector('english'::regconfig, left(search_text, 100000))) STORED,
	"content_hash" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "passages_user_id_id_pk" PRIMARY KEY("user_id","id"),
	CONSTRAINT "passages_content_key" UNIQUE("user_id","agent_id","content_hash")
);
--> statement-breakpoint
CREATE TABLE "passages_512" (
	"user_id" text NOT NULL,
	"agent_id" uuid NOT NULL,
	"passage_id" uuid NOT NULL,
	"embedder" text NOT NULL,
	"embedding" vector(512) NOT NULL,
	CONSTRAINT "passages_512_user_id_passage_id_embedder_pk" PRIMARY KEY("user_id","passage_id","embedder")
);
--> statement-breakpoint
CREATE TABLE "revisions" (
	"user_id" text NOT NULL,
	"agent_id" uuid NOT NULL,
	"label" text NOT NULL,
	"revision" integer NOT NULL,
	"before" text NOT NULL,
	"after" text NOT NULL,
	"origin" text NOT NULL,
	"tool_name" text,
	"call_id" text,
	"message_id" uuid,
	"conversation_id" uuid,
	"undoes" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "revisions_user_id_agent_id_label_revision_pk" PRIMARY KEY("user_id","agent_id","label","revision")
);
--> statement-breakpoint
CREATE TABLE "steps" (
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"turn_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"message_id" uuid NOT NULL,
	"model" text NOT NULL,
	"finish" text NOT NULL,
	"input_tokens" integer NOT NULL,
	"output_tokens" integer NOT NULL,
	"cached_input_tokens" integer NOT NULL,
	"report" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "steps_user_id_id_pk" PRIMARY KEY("user_id","id")
);
--> statement-breakpoint
CREATE TABLE "tool_calls" (
	"user_id" text NOT NULL,
	"agent_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"message_id" uuid NOT NULL,
	"call_id" text NOT NULL,
	"position" integer NOT NULL,
	"name" text NOT NULL,
	"status" text NOT NULL,
	"result_message_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp (3) with time zone,
	CONSTRAINT "tool_calls_user_id_message_id_call_id_pk" PRIMARY KEY("user_id","message_id","call_id")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"user_id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "compactions" ADD CONSTRAINT "compactions_conversation_fkey" FOREIGN KEY ("user_id","conversation_id") REFERENCES "public"."conversations"("user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grants" ADD CONSTRAINT "grants_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grants" ADD CONSTRAINT "grants_agent_fkey" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "inputs" ADD CONSTRAINT "inputs_conversation_fkey" FOREIGN KEY ("user_id","conversation_id") REFERENCES "public"."conversations"("user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_conversation_fkey" FOREIGN KEY ("user_id","conversation_id") REFERENCES "public"."conversations"("user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "modules" ADD CONSTRAINT "modules_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "modules" ADD CONSTRAINT "modules_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passages" ADD CONSTRAINT "passages_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passages" ADD CONSTRAINT "passages_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passages_512" ADD CONSTRAINT "passages_512_passage_fkey" FOREIGN KEY ("user_id","passage_id") REFERENCES "public"."passages"("user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "revisions" ADD CONSTRAINT "revisions_module_fkey" FOREIGN KEY ("user_id","agent_id","label") REFERENCES "public"."modules"("user_id","agent_id","label") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "steps" ADD CONSTRAINT "steps_conversation_fkey" FOREIGN KEY ("user_id","conversation_id") REFERENCES "public"."conversations"("user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tool_calls" ADD CONSTRAINT "tool_calls_message_fkey" FOREIGN KEY ("user_id","message_id") REFERENCES "public"."messages"("user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "compactions_newest_index" ON "compactions" USING btree ("user_id","conversation_id","id");--> statement-breakpoint
CREATE INDEX "conversations_agent_index" ON "conversations" USING btree ("agent_id","user_id");--> statement-breakpoint
CREATE INDEX "grants_agent_index" ON "grants" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "messages_thread_index" ON "messages" USING btree ("user_id","conversation_id","position");--> statement-breakpoint
CREATE INDEX "messages_recall_index" ON "messages" USING btree ("user_id","agent_id","created_at","id") WHERE search_text is not null;--> statement-breakpoint
CREATE INDEX "messages_words_index" ON "messages" USING gin ("words");--> statement-breakpoint
CREATE INDEX "modules_agent_index" ON "modules" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "passages_newest_index" ON "passages" USING btree ("user_id","agent_id","created_at","id");--> statement-breakpoint
CREATE INDEX "passages_agent_index" ON "passages" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "passages_words_index" ON "passages" USING gin ("words");--> statement-breakpoint
CREATE INDEX "passages_512_agent_index" ON "passages_512" USING btree ("user_id","agent_id");--> statement-breakpoint
CREATE INDEX "revisions_newest_index" ON "revisions" USING btree ("user_id","agent_id","created_at");--> statement-breakpoint
CREATE INDEX "steps_conversation_index" ON "steps" USING btree ("user_id","conversation_id","id");