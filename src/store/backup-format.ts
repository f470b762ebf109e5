// The format of a backup: gzip'd lines of JSON. First a header, then for each table a line that names it and one line
// per row, last a line that says how many rows there were, so that a file that was cut off is known as such.
import { getTableColumns, getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { StoreError } from "../errors.ts";
import {
  agents,
  attachments,
  compactions,
  conversations,
  grants,
  inputs,
  messages,
  modules,
  objectDeletions,
  objectParts,
  passages,
  passages512,
  revisions,
  steps,
  sweeps,
  toolCalls,
  users,
} from "./schema.ts";

export const backupFormat = "palimpsest-backup";
export const backupVersion = 1;

export interface BackupHeader {
  readonly format: string;
  readonly version: number;
  /** The newest migration of the database that was written. */
  readonly schema: string;
  readonly createdAt: string;
}

export interface BackupTable {
  readonly name: string;
  /** All but generated columns, quoted. */
  readonly columns: string;
}

// Each table after those that its rows refer to.
const inOrder: readonly PgTable[] = [
  users,
  agents,
  grants,
  modules,
  revisions,
  conversations,
  messages,
  inputs,
  compactions,
  steps,
  toolCalls,
  passages,
  passages512,
  sweeps,
  objectParts,
  attachments,
  objectDeletions,
];

/** Every table, in an order in which rows can be inserted. */
export const backupTables: readonly BackupTable[] = inOrder.map((table) => ({
  name: getTableName(table),
  columns: Object.values(getTableColumns(table))
    .filter((column) => column.generated === undefined)
    .map((column) => `"${column.name}"`)
    .join(", "),
}));

/** The error for a file that is none, or no whole one. */
export function invalidBackup(expected: string, cause?: unknown): StoreError {
  return new StoreError("backup_invalid", `The backup cannot be read: ${expected}. The database was not changed.`, {
    cause,
  });
}

/** SQL for the newest migration; one row with `schema`. */
export const newestMigration =
  "select hash as schema from drizzle.__drizzle_migrations order by created_at desc limit 1";
