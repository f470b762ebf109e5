// Migrates the schema of a PostgreSQL server. (The embedded engine migrates itself before it serves clients.)
// Invariant: of several concurrent processes one migrates and the others wait; a newer schema is not changed.
import postgres from "postgres";
import { StoreError } from "../../errors.ts";
import { storeErrorOf } from "./database-error.ts";
import { isMigrationDue, packageMigrations } from "../embedded/migration-journal.ts";
import { roleRefusal } from "./runtime-role.ts";

export interface MigrateOptions {
  /** URL of a role that may create tables and roles; it may differ from the role that the runtime uses. */
  readonly url: string;
  /** Default: the package's own. */
  readonly migrationsFolder?: string;
}

// An arbitrary constant that must not change; this one spells "palimpse" in ASCII.
const LOCK_KEY = "8097872805052314469";

/**
 * Resolves to whether anything was applied. Throws StoreError: `store_unreachable`, `store_extension_missing`,
 * `store_schema_newer`, `store_schema_unknown`, or `store_failed` if a migration fails; then none is applied. If the
 * runtime's role cannot be created or granted, the error contains the statements that an administrator has to run.
 */
export async function migrateDatabase({
  url,
  migrationsFolder = packageMigrations(),
}: MigrateOptions): Promise<boolean> {
  // A separate connection: the lock belongs to its session and is released with it in any case.
  const sql = postgres(url, { max: 1, prepare: false, onnotice: () => undefined, connect_timeout: 10 });
  try {
    await sql`select pg_advisory_lock(${LOCK_KEY}::bigint)`;
    await createVector(sql);
    if (!(await isMigrationDue(migrationsFolder, (statement) => sql.unsafe(statement)))) return false;
    const [{ drizzle }, { migrate }] = await Promise.all([
      import("drizzle-orm/postgres-js"),
      import("drizzle-orm/postgres-js/migrator"),
    ]);
    await migrate(drizzle(sql), { migrationsFolder });
    return true;
  } catch (cause) {
    const refused = await roleRefusal(cause, (statement) => sql.unsafe(statement));
    throw refused ?? storeErrorOf(cause, `PostgreSQL at ${hostAndPort(url)}`);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function createVector(sql: postgres.Sql): Promise<void> {
  const [extension] = await sql`
    select installed_version is not null as is_installed
    from pg_available_extensions where name = 'vector'
  `;
  if (extension === undefined) {
    throw new StoreError(
      "store_extension_missing",
      "The PostgreSQL server has no pgvector. Install it on the server (package postgresql-NN-pgvector, or the image " +
        "pgvector/pgvector), then run CREATE EXTENSION vector in the database as a superuser.",
    );
  }
  if (extension["is_installed"] === true) return;
  try {
    await sql`create extension if not exists vector`;
  } catch (cause) {
    if (!(cause instanceof postgres.PostgresError) || cause.code !== "42501") throw cause;
    throw new StoreError(
      "store_extension_missing",
      "This role may not create the extension pgvector. Run CREATE EXTENSION vector in the database as a superuser.",
      { cause },
    );
  }
}

function hostAndPort(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return `${parsed?.hostname || "localhost"}:${parsed?.port || "5432"}`;
}
