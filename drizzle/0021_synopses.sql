CREATE TABLE "synopses" (
	"user_id" text NOT NULL,
	"agent_id" uuid NOT NULL,
	"part" text NOT NULL,
	"claim" uuid,
	"next_refresh_at" timestamp (3) with time zone NOT NULL,
	"content" jsonb,
	"trust" text DEFAULT 'external' NOT NULL,
	"made_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"passages" uuid[] DEFAULT '{}' NOT NULL,
	"left_out" integer DEFAULT 0 NOT NULL,
	"memory_tokens" integer DEFAULT 0 NOT NULL,
	"tokens" integer DEFAULT 0 NOT NULL,
	"model" text,
	"input_tokens" integer DEFAULT 0 NOT NULL,
	"output_tokens" integer DEFAULT 0 NOT NULL,
	"cached_input_tokens" integer DEFAULT 0 NOT NULL,
	"dollars" double precision,
	CONSTRAINT "synopses_user_id_agent_id_part_pk" PRIMARY KEY("user_id","agent_id","part"),
	CONSTRAINT "synopses_content_check" CHECK (content is null or num_nonnulls(made_at, expires_at, model) = 3 and cardinality(passages) > 0)
);
--> statement-breakpoint
ALTER TABLE "synopses" ADD CONSTRAINT "synopses_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "synopses" ADD CONSTRAINT "synopses_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "conversations_synopsis_index" ON "conversations" USING btree ("user_id","agent_id") WHERE memory_snapshot ? 'synopsis';--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON "synopses" TO palimpsest_runtime;--> statement-breakpoint
ALTER TABLE "synopses" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY own_rows ON "synopses" TO palimpsest_runtime
  USING (user_id = (SELECT nullif(current_setting('palimpsest.user_id', true), '')))
  WITH CHECK (
    user_id = (SELECT nullif(current_setting('palimpsest.user_id', true), '')) AND may_use_agent(agent_id)
  );--> statement-breakpoint
-- After passages have gone, by whatever way: what was made from one of them goes as well, where it is kept and where a prompt shows
-- it. Whoever is about to write such a thing locks the passages first (src/store/hold-passages.ts), so it is waited for and found.
-- It runs as the owner, since a cascade also takes what other users have with an agent.
CREATE FUNCTION forget_synopses() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  UPDATE synopses s SET content = NULL, passages = '{}'
  FROM (SELECT g.user_id, g.agent_id, array_agg(g.id) AS ids FROM gone g WHERE g.agent_id IS NOT NULL GROUP BY 1, 2) d
  WHERE s.user_id = d.user_id AND s.agent_id = d.agent_id AND s.passages && d.ids;
  UPDATE conversations c SET memory_snapshot = c.memory_snapshot - 'synopsis'
  FROM (SELECT g.user_id, g.agent_id, array_agg(g.id::text) AS ids FROM gone g WHERE g.agent_id IS NOT NULL GROUP BY 1, 2) d
  WHERE c.user_id = d.user_id AND c.agent_id = d.agent_id AND c.memory_snapshot ? 'synopsis'
    AND c.memory_snapshot->'synopsis'->'passages' ?| d.ids;
  RETURN NULL;
END
$$;--> statement-breakpoint
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION forget_synopses() SET search_path = pg_catalog, %I, pg_temp', current_schema());
  REVOKE ALL ON FUNCTION forget_synopses() FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION forget_synopses() TO palimpsest_runtime;
END
$$;--> statement-breakpoint
CREATE TRIGGER passages_synopses AFTER DELETE ON "passages"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_synopses();
