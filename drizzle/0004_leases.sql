ALTER TABLE "conversations" ADD COLUMN "lease_fence" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "lease_holder" text;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "lease_expires_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "inputs" ADD COLUMN "content" jsonb;--> statement-breakpoint
ALTER TABLE "inputs" ADD COLUMN "waits_until" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "inputs_queue_index" ON "inputs" USING btree ("user_id","conversation_id","created_at") WHERE status = 'queued';