CREATE TABLE "sweeps" (
	"user_id" text NOT NULL,
	"id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"limits" jsonb NOT NULL,
	"messages" integer DEFAULT 0 NOT NULL,
	"messages_through" timestamp (3) with time zone,
	"revisions" integer DEFAULT 0 NOT NULL,
	"revisions_through" timestamp (3) with time zone,
	"steps" integer DEFAULT 0 NOT NULL,
	"steps_through" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sweeps_user_id_id_pk" PRIMARY KEY("user_id","id")
);
--> statement-breakpoint
ALTER TABLE "tool_calls" ADD COLUMN "requested_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "tool_calls" ADD COLUMN "expires_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "tool_calls" ADD COLUMN "requested_arguments" text;--> statement-breakpoint
ALTER TABLE "tool_calls" ADD COLUMN "verdict" text;--> statement-breakpoint
ALTER TABLE "tool_calls" ADD COLUMN "decided_by" text;--> statement-breakpoint
ALTER TABLE "tool_calls" ADD COLUMN "reason" text;--> statement-breakpoint
ALTER TABLE "tool_calls" ADD COLUMN "approved_arguments" text;--> statement-breakpoint
ALTER TABLE "tool_calls" ADD COLUMN "decided_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "sweeps" ADD CONSTRAINT "sweeps_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sweeps" ADD CONSTRAINT "sweeps_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sweeps_newest_index" ON "sweeps" USING btree ("user_id","agent_id","created_at");--> statement-breakpoint
CREATE INDEX "tool_calls_waiting_index" ON "tool_calls" USING btree ("user_id","agent_id","requested_at") WHERE status = 'awaiting-approval';