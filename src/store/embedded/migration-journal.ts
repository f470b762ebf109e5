// What the package's migrations are, and whether a database is older, equal or newer.
// Invariant: a database that a newer program has written is never touched.
import { readFileSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../../base/package-root.ts";
import { StoreError } from "../../errors.ts";

/** Answers with the rows of a statement without parameters; each engine has its own. */
export type RunStatement = (statement: string) => Promise<readonly Record<string, unknown>[]>;

/** The folder of the migrations that ship with the package. */
export function packageMigrations(): string {
  return path.join(packageRoot(), "drizzle");
}

/**
 * Whether migrations of the folder are missing in the database.
 * Throws StoreError `store_schema_newer` when the database has one that is newer than all of the folder's.
 */
export async function isMigrationDue(migrationsFolder: string, run: RunStatement): Promise<boolean> {
  const newest = newestMigration(migrationsFolder);
  const [table] = await run("select to_regclass('drizzle.__drizzle_migrations') is not null as is_there");
  if (table?.["is_there"] !== true) return true;
  const [row] = await run("select max(created_at)::text as applied from drizzle.__drizzle_migrations");
  const applied = Number(row?.["applied"] ?? 0);
  if (applied > newest.when) {
    throw newerSchemaError(applied, newest);
  }
  return applied < newest.when;
}

/** The error for a database whose newest migration is newer than all that this version knows. */
export function newerSchemaError(applied: number, newest: JournalEntry): StoreError {
  return new StoreError(
    "store_schema_newer",
    "The database was written by a newer version of Palimpsest " +
      `(a migration of ${new Date(applied).toISOString()}; this version knows up to ${newest.tag}). ` +
      "Upgrade palimpsest, or use another data folder or database.",
  );
}

/** The newest migration of the folder. Throws StoreError when the folder's journal cannot be read. */
export function newestMigration(migrationsFolder: string): JournalEntry {
  const file = path.join(migrationsFolder, "meta", "_journal.json");
  try {
    const { entries } = JSON.parse(readFileSync(file, "utf8")) as { readonly entries: readonly JournalEntry[] };
    return entries.reduce((newest, entry) => (entry.when > newest.when ? entry : newest), { when: 0, tag: "none" });
  } catch (cause) {
    throw new StoreError("store_failed", `The migrations cannot be read from ${file}. Install the package anew.`, {
      cause,
    });
  }
}

/** One migration, in drizzle-kit's journal: `when` is in milliseconds since 1970. */
export interface JournalEntry {
  readonly when: number;
  readonly tag: string;
}
