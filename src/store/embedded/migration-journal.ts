// Compares the package's migrations with those that were applied to a database.
// Invariant: a database with a migration that the package lacks is never changed.
import { largest } from "../../base/lists.ts";
import { readFileSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../../base/package-root.ts";
import { StoreError } from "../../base/errors.ts";

/** Runs a statement without parameters, and returns its rows; each engine has an implementation. */
export type RunStatement = (statement: string) => Promise<readonly Record<string, unknown>[]>;

export function packageMigrations(): string {
  return path.join(packageRoot(), "drizzle");
}

/**
 * Returns whether the database lacks migrations of the folder. Throws StoreError `store_schema_newer` if the database has a
 * migration that is newer than the folder's newest, and `store_schema_unknown` if it has an older one that the folder lacks.
 */
export async function isMigrationDue(migrationsFolder: string, run: RunStatement): Promise<boolean> {
  const known = readJournal(migrationsFolder);
  const newest = newestOf(known);
  const [table] = await run("select to_regclass('drizzle.__drizzle_migrations') is not null as is_there");
  if (table?.["is_there"] !== true) return true;
  const rows = await run("select created_at::text as applied from drizzle.__drizzle_migrations");
  const applied = rows.map((row) => Number(row["applied"]));
  const last = largest(applied, 0);
  if (last > newest.when) throw newerSchemaError(last, newest);
  const unknown = applied.find((when) => !known.some((entry) => entry.when === when));
  if (unknown !== undefined) throw unknownSchemaError(unknown, newest);
  return last < newest.when;
}

/** Returns the error for a database that has a newer migration than this version of the package. */
export function newerSchemaError(applied: number, newest: JournalEntry): StoreError {
  return new StoreError(
    "store_schema_newer",
    "The database was written by a newer version of Palimpsest " +
      `(a migration of ${new Date(applied).toISOString()}; the newest of this version is ${newest.tag}). ` +
      "Upgrade palimpsest, or use another data folder or database.",
  );
}

function unknownSchemaError(applied: number, newest: JournalEntry): StoreError {
  return new StoreError(
    "store_schema_unknown",
    `Expected a database with migrations of this version of Palimpsest (up to ${newest.tag}), got one with a migration of ` +
      `${new Date(applied).toISOString()} that this version does not have: a development version created it. ` +
      "Nothing was changed. Use another data folder or database, or the version that created this one.",
  );
}

/** Returns the newest migration of the folder. Throws StoreError if the folder's journal cannot be read. */
export function newestMigration(migrationsFolder: string): JournalEntry {
  return newestOf(readJournal(migrationsFolder));
}

function newestOf(entries: readonly JournalEntry[]): JournalEntry {
  return entries.reduce((newest, entry) => (entry.when > newest.when ? entry : newest), { when: 0, tag: "none" });
}

function readJournal(migrationsFolder: string): readonly JournalEntry[] {
  const file = path.join(migrationsFolder, "meta", "_journal.json");
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as { readonly entries: readonly JournalEntry[] }).entries;
  } catch (cause) {
    throw new StoreError("store_failed", `The migrations cannot be read from ${file}. Reinstall the package.`, {
      cause,
    });
  }
}

/** One migration in drizzle-kit's journal: `when` is in milliseconds since 1970. */
export interface JournalEntry {
  readonly when: number;
  readonly tag: string;
}
