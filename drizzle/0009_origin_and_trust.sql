ALTER TABLE "messages" ADD COLUMN "trust" text DEFAULT 'external' NOT NULL;--> statement-breakpoint
ALTER TABLE "modules" ADD COLUMN "trust" text DEFAULT 'external' NOT NULL;--> statement-breakpoint
ALTER TABLE "passages" ADD COLUMN "message_id" uuid;--> statement-breakpoint
ALTER TABLE "passages" ADD COLUMN "call_id" text;--> statement-breakpoint
ALTER TABLE "passages" ADD COLUMN "trust" text DEFAULT 'external' NOT NULL;--> statement-breakpoint
ALTER TABLE "revisions" ADD COLUMN "trust" text DEFAULT 'external' NOT NULL;--> statement-breakpoint
CREATE INDEX "passages_message_index" ON "passages" USING btree ("user_id","message_id") WHERE message_id is not null;--> statement-breakpoint
CREATE INDEX "revisions_message_index" ON "revisions" USING btree ("user_id","message_id") WHERE message_id is not null;--> statement-breakpoint
ALTER TABLE "passages" ADD CONSTRAINT "passages_import_check" CHECK ((origin <> 'import' and kind <> 'document') or trust = 'external');--> statement-breakpoint
ALTER TABLE "revisions" ADD CONSTRAINT "revisions_import_check" CHECK (origin <> 'import' or trust = 'external');