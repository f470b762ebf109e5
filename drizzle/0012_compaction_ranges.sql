DROP INDEX "compactions_newest_index";--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "window_version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "compactions" ADD COLUMN "window_version" integer;--> statement-breakpoint
ALTER TABLE "compactions" ADD COLUMN "strategy" text;--> statement-breakpoint
ALTER TABLE "compactions" ADD COLUMN "from_position" integer;--> statement-breakpoint
ALTER TABLE "compactions" ADD COLUMN "thread_messages" integer;--> statement-breakpoint
ALTER TABLE "compactions" ADD COLUMN "range_tokens" integer;--> statement-breakpoint
ALTER TABLE "compactions" ADD COLUMN "input_tokens" integer;--> statement-breakpoint
ALTER TABLE "compactions" ADD COLUMN "output_tokens" integer;--> statement-breakpoint
ALTER TABLE "compactions" ADD COLUMN "cached_input_tokens" integer;--> statement-breakpoint
ALTER TABLE "compactions" ADD COLUMN "dollars" double precision;--> statement-breakpoint
ALTER TABLE "compactions" ADD COLUMN "focus" text;--> statement-breakpoint
ALTER TABLE "compactions" ADD COLUMN "undone_at" timestamp (3) with time zone;--> statement-breakpoint
-- Until now each compaction folded the one before it in, so each stands for everything from the first message on. What was not
-- kept then is told as 0 (usage), as unknown (dollars), or as what is there now (messages and tokens).
UPDATE "compactions" c
SET "strategy" = 'recursive', "from_position" = 1, "input_tokens" = 0, "output_tokens" = 0, "cached_input_tokens" = 0,
  "window_version" = (
    SELECT count(*) FROM "compactions" o
    WHERE o."user_id" = c."user_id" AND o."conversation_id" = c."conversation_id" AND o."id" <= c."id"
  ),
  "thread_messages" = greatest(c."through_position", (
    SELECT max(m."position") FROM "messages" m
    WHERE m."user_id" = c."user_id" AND m."conversation_id" = c."conversation_id" AND m."created_at" <= c."created_at"
  )),
  "range_tokens" = coalesce((
    SELECT sum(m."tokens") FROM "messages" m
    WHERE m."user_id" = c."user_id" AND m."conversation_id" = c."conversation_id" AND m."on_thread"
      AND m."position" <= c."through_position"
  ), 0);--> statement-breakpoint
UPDATE "conversations" v
SET "window_version" = (
  SELECT count(*) FROM "compactions" c WHERE c."user_id" = v."user_id" AND c."conversation_id" = v."id"
);--> statement-breakpoint
ALTER TABLE "compactions" ALTER COLUMN "window_version" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "compactions" ALTER COLUMN "strategy" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "compactions" ALTER COLUMN "from_position" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "compactions" ALTER COLUMN "thread_messages" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "compactions" ALTER COLUMN "range_tokens" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "compactions" ALTER COLUMN "input_tokens" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "compactions" ALTER COLUMN "output_tokens" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "compactions" ALTER COLUMN "cached_input_tokens" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "compactions" DROP COLUMN "messages";--> statement-breakpoint
CREATE INDEX "compactions_chain_index" ON "compactions" USING btree ("user_id","conversation_id","through_position","window_version") WHERE undone_at is null;--> statement-breakpoint
CREATE INDEX "compactions_version_index" ON "compactions" USING btree ("user_id","conversation_id","window_version");
