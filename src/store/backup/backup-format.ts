// The format of a backup: gzip'd lines of JSON. The first line is a header. Then each table has a line that names it and one line
// for each row. The last line contains the number of rows and a digest of all lines before it.
// Invariant: a file that was cut off, doubled, reordered or edited does not have the digest that its last line names.
import { createHash, type Hash } from "node:crypto";
import { StoreError } from "../../errors.ts";

export const backupFormat = "palimpsest-backup";
export const backupVersion = 1;

/**
 * The maximum length of a line of a backup, in bytes, unless `restore` is given another one. A line is a row that PostgreSQL has
 * made JSON of, and it refuses to make JSON of a row that takes more than this.
 */
export const maxLineBytes = 268_435_455;

export interface BackupHeader {
  readonly format: string;
  readonly version: number;
  /** The newest migration of the database that was written. */
  readonly schema: string;
  readonly createdAt: string;
}

export interface BackupEnd {
  readonly end: true;
  readonly rows: number;
  /** SHA-256 of every line before this one with its line feed, as hexadecimal digits. */
  readonly sha256: string;
}

/** The digest that a backup ends with, of lines that are added to it with their line feeds. */
export function createBackupDigest(): Hash {
  return createHash("sha256");
}

/** The error for a file that is not a backup, or not a whole one. `found` ends without a full stop. */
export function invalidBackup(found: string, cause?: unknown): StoreError {
  return new StoreError("backup_invalid", `The backup cannot be read: ${found}. The database was not changed.`, {
    cause,
  });
}

/** SQL for the newest migration; one row with `schema`. */
export const newestMigration =
  "select hash as schema from drizzle.__drizzle_migrations order by created_at desc limit 1";
