-- The role that every transaction of the runtime switches to. It owns nothing, and every policy applies to it.
-- A role belongs to the whole server: the migration of another database may have created it, or may create it at the same time.
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
-- An owner of the tables that is not a superuser can only switch to a role that was granted to it. Since PostgreSQL 16 it is not
-- enough that the owner created the role. Where the owner may not grant it, an administrator may have done so.
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
