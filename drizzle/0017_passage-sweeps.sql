ALTER TABLE "sweeps" ADD COLUMN "passages" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "sweeps" ADD COLUMN "passages_through" timestamp (3) with time zone;--> statement-breakpoint
-- Eviction weighs a user's own passages, under the policies.
GRANT EXECUTE ON FUNCTION importance_of(passages) TO palimpsest_runtime;
