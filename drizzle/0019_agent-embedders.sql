CREATE TABLE "agent_embedders" (
	"user_id" text NOT NULL,
	"agent_id" uuid NOT NULL,
	"embedder" text NOT NULL,
	"dimensions" integer NOT NULL,
	"role" text NOT NULL,
	"since" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_embedders_user_id_agent_id_embedder_dimensions_pk" PRIMARY KEY("user_id","agent_id","embedder","dimensions"),
	CONSTRAINT "agent_embedders_role_check" CHECK (role in ('searched', 'building', 'kept', 'dropping')),
	CONSTRAINT "agent_embedders_dimensions_check" CHECK (dimensions between 1 and 16000)
);
--> statement-breakpoint
ALTER TABLE "agent_embedders" ADD CONSTRAINT "agent_embedders_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_embedders" ADD CONSTRAINT "agent_embedders_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "agent_embedders_role_index" ON "agent_embedders" USING btree ("user_id","agent_id","role") WHERE role <> 'dropping';--> statement-breakpoint
CREATE INDEX "agent_embedders_agent_index" ON "agent_embedders" USING btree ("agent_id");
--> statement-breakpoint
-- A row says by what a user searches, so it is that user's alone, also of an agent that belongs to somebody else.
DO $$
DECLARE
  own text := $own$user_id = (SELECT nullif(current_setting('palimpsest.user_id', true), ''))$own$;
BEGIN
  GRANT SELECT, INSERT, UPDATE, DELETE ON "agent_embedders" TO palimpsest_runtime;
  ALTER TABLE "agent_embedders" ENABLE ROW LEVEL SECURITY;
  EXECUTE format(
    'CREATE POLICY own_rows ON agent_embedders TO palimpsest_runtime USING (%1$s) WITH CHECK (%1$s AND may_use_agent(agent_id))', own
  );
END
$$;
