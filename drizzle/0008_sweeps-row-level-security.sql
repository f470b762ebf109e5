-- The table of sweeps belongs to the runtime's role under the same policy as the other rows of a user's own.
GRANT SELECT, INSERT, UPDATE, DELETE ON "sweeps" TO palimpsest_runtime;
--> statement-breakpoint
ALTER TABLE "sweeps" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY own_rows ON "sweeps" TO palimpsest_runtime
  USING (user_id = (SELECT nullif(current_setting('palimpsest.user_id', true), '')))
  WITH CHECK (
    user_id = (SELECT nullif(current_setting('palimpsest.user_id', true), '')) AND may_use_agent(agent_id)
  );
