-- The role that every transaction of the runtime takes on. It owns nothing and bypasses nothing.
-- Roles belong to the whole server: another database may have made it already, or be making it now.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'palimpsest_runtime') THEN
    CREATE ROLE palimpsest_runtime NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
  END IF;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN
    NULL;
END
$$;
--> statement-breakpoint
-- An owner who is no superuser can only take on a role that was granted to it; being its creator is not enough from
-- PostgreSQL 16 on. Where it may not grant, an administrator may have done it already.
DO $$
BEGIN
  IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    EXECUTE format('GRANT palimpsest_runtime TO %I', current_user);
  END IF;
EXCEPTION
  WHEN unique_violation THEN
    NULL;
  WHEN insufficient_privilege THEN
    IF NOT pg_has_role(current_user, 'palimpsest_runtime', 'MEMBER') THEN
      RAISE;
    END IF;
END
$$;
--> statement-breakpoint
DO $$
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO palimpsest_runtime', current_schema());
END
$$;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON
  "users", "agents", "grants", "conversations", "modules", "revisions", "messages", "steps", "tool_calls", "inputs",
  "compactions", "passages", "passages_512"
TO palimpsest_runtime;
--> statement-breakpoint
-- Out of line, a vector costs one more read per row, and the planner, which does not count those, leaves the index aside:
-- an exact scan of 10,000 vectors took 2.7 to 4.6 times as long.
ALTER TABLE "passages_512" ALTER COLUMN "embedding" SET STORAGE PLAIN;
