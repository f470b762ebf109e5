// The format of a backup: lines of JSON, compressed with gzip. The first line is a header. Then each table has a
// line that names it and one line for each row. The last line contains the number of rows and a digest of all lines before it.
// Invariant: the digest in the last line does not match a file that was truncated, duplicated, reordered or edited.
import { createHash, type Hash } from "node:crypto";
import { StoreError } from "../../base/errors.ts";

export const backupFormat = "palimpsest-backup";
export const backupVersion = 1;

/**
 * Maximum length of a line of a backup, in bytes. PostgreSQL makes the lines, and cannot make longer JSON.
 */
export const maxLineBytes = 268_435_455;

export interface BackupHeader {
  readonly format: string;
  readonly version: number;
  /** The newest migration of the database that was backed up. */
  readonly schema: string;
  readonly createdAt: string;
}

export interface BackupEnd {
  readonly end: true;
  readonly rows: number;
  /** SHA-256 of all earlier lines with their line feeds, as hexadecimal digits. */
  readonly sha256: string;
}

/** Returns a new digest for a backup. The caller adds each line with its line feed. */
export function createBackupDigest(): Hash {
  return createHash("sha256");
}

/** Returns the error for an incomplete or damaged backup. `found`: what is wrong, without a final full stop. */
export function invalidBackup(found: string, cause?: unknown): StoreError {
  return new StoreError("backup_invalid", `The backup cannot be read: ${found}. The database was not changed.`, {
    cause,
  });
}

/** SQL for the newest migration; returns one row with `schema`. */
export const newestMigration =
  "select hash as schema from drizzle.__drizzle_migrations order by created_at desc limit 1";
