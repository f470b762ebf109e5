// Migrates the schema of a PostgreSQL server. (The embedded engine migrates itself before it serves clients.)
// Invariant: of several concurrent processes one migrates and the others wait; a newer schema is not changed. Everything
// is one transaction, so that a failure changes nothing and a transaction pooler cannot separate the lock from the work.
import { sql } from "drizzle-orm";
import { StoreError } from "../../base/errors.ts";
import type { Database } from "./database.ts";
import { sqlStateOf } from "./database-error.ts";
import { isMigrationDue, packageMigrations } from "../embedded/migration-journal.ts";
import { roleRefusal } from "./runtime-role.ts";
import type { Transaction } from "./transaction.ts";

// An arbitrary constant that must not change; this one spells "palimpse" in ASCII.
const LOCK_KEY = "8097872805052314469";

const createJournal = `
create schema if not exists drizzle;
create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`;

/**
 * Migrates the database, and resolves to whether anything was applied. The database's role must be one that may create tables
 * and roles. Throws StoreError: `store_unreachable`, `store_extension_missing`, `store_schema_newer`, `store_schema_unknown`,
 * or `store_failed` if a migration fails; then none is applied. If the runtime's role cannot be created or granted, the error
 * contains the statements that an administrator has to run.
 */
export async function migrateDatabase(database: Database, migrationsFolder = packageMigrations()): Promise<boolean> {
  try {
    return await database.ownerTransaction((tx) => migrate(tx, migrationsFolder));
  } catch (error) {
    const ask = (statement: string) => database.ownerTransaction((tx) => tx.run(statement, []));
    throw (await roleRefusal(error, ask)) ?? error;
  }
}

async function migrate(tx: Transaction, migrationsFolder: string): Promise<boolean> {
  await tx.run(`select pg_advisory_xact_lock(${LOCK_KEY}::bigint)`, []);
  await createVector(tx);
  if (!(await isMigrationDue(migrationsFolder, (statement) => tx.run(statement, [])))) return false;
  const { readMigrationFiles } = await import("drizzle-orm/migrator");
  // The SQL is sent without parameters, so that it may contain several statements.
  await tx.tables.execute(sql.raw(createJournal));
  const [last] = await tx.run<{ readonly applied: number }>(
    "select coalesce(max(created_at), 0)::float8 as applied from drizzle.__drizzle_migrations",
    [],
  );
  for (const migration of readMigrationFiles({ migrationsFolder })) {
    if (migration.folderMillis <= last!.applied) continue;
    for (const statement of migration.sql) await tx.tables.execute(sql.raw(statement));
    await tx.run("insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2::bigint)", [
      migration.hash,
      migration.folderMillis,
    ]);
  }
  return true;
}

async function createVector(tx: Transaction): Promise<void> {
  const [extension] = await tx.run<{ readonly is_installed: boolean }>(
    "select installed_version is not null as is_installed from pg_available_extensions where name = 'vector'",
    [],
  );
  if (extension === undefined) {
    throw new StoreError(
      "store_extension_missing",
      "The PostgreSQL server has no pgvector. Install it on the server (package postgresql-NN-pgvector, or the image " +
        "pgvector/pgvector), then run CREATE EXTENSION vector in the database as a superuser.",
    );
  }
  if (extension.is_installed) return;
  try {
    await tx.run("create extension if not exists vector", []);
  } catch (cause) {
    if (sqlStateOf(cause) !== "42501") throw cause;
    throw new StoreError(
      "store_extension_missing",
      "The connecting role may not create the extension pgvector. Run CREATE EXTENSION vector in the database as a superuser.",
      { cause: { code: "42501" } },
    );
  }
}
