CREATE TABLE "attachments" (
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"message_id" uuid,
	"name" text NOT NULL,
	"media_type" text NOT NULL,
	"size" integer NOT NULL,
	"sha256" text NOT NULL,
	"place" text NOT NULL,
	"object_key" text NOT NULL,
	"is_stored" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "attachments_user_id_id_pk" PRIMARY KEY("user_id","id")
);
--> statement-breakpoint
CREATE TABLE "object_deletions" (
	"user_id" text NOT NULL,
	"place" text NOT NULL,
	"object_key" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "object_deletions_user_id_place_object_key_pk" PRIMARY KEY("user_id","place","object_key")
);
--> statement-breakpoint
CREATE TABLE "object_parts" (
	"user_id" text NOT NULL,
	"key" text NOT NULL,
	"part" integer NOT NULL,
	"data" "bytea" NOT NULL,
	CONSTRAINT "object_parts_user_id_key_part_pk" PRIMARY KEY("user_id","key","part")
);
--> statement-breakpoint
ALTER TABLE "attachments" ADD CONSTRAINT "attachments_conversation_fkey" FOREIGN KEY ("user_id","conversation_id","agent_id") REFERENCES "public"."conversations"("user_id","id","agent_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attachments" ADD CONSTRAINT "attachments_message_fkey" FOREIGN KEY ("user_id","message_id") REFERENCES "public"."messages"("user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "object_parts" ADD CONSTRAINT "object_parts_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attachments_content_index" ON "attachments" USING btree ("user_id","sha256");--> statement-breakpoint
CREATE INDEX "attachments_object_index" ON "attachments" USING btree ("user_id","object_key");--> statement-breakpoint
CREATE INDEX "attachments_conversation_index" ON "attachments" USING btree ("user_id","conversation_id");--> statement-breakpoint
CREATE INDEX "attachments_message_index" ON "attachments" USING btree ("user_id","message_id") WHERE message_id is not null;--> statement-breakpoint
CREATE INDEX "attachments_waiting_index" ON "attachments" USING btree ("user_id","created_at") WHERE message_id is null;