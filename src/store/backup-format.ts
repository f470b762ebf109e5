// The format of a backup: gzip'd lines of JSON. First a header, then for each table a line that names it and one line
// per row, last a line that says how many rows there were, so that a file that was cut off is known as such.
import { getTableColumns, getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { StoreError } from "../errors.ts";
import {
  agentEmbedders,
  agents,
  agentSources,
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
  revisions,
  sourceFiles,
  sources,
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
  agentEmbedders,
  modules,
  revisions,
  conversations,
  messages,
  inputs,
  compactions,
  steps,
  toolCalls,
  sources,
  sourceFiles,
  agentSources,
  passages,
  sweeps,
  objectParts,
  attachments,
  objectDeletions,
];

/** Every table that is always there, in an order in which rows can be inserted. Those of vectors come after them. */
export const backupTables: readonly BackupTable[] = inOrder.map((table) => ({
  name: getTableName(table),
  columns: Object.values(getTableColumns(table))
    .filter((column) => column.generated === undefined)
    .map((column) => `"${column.name}"`)
    .join(", "),
}));

const vectorColumns: Readonly<Record<string, string>> = {
  passages: '"user_id", "archive_id", "passage_id", "embedder", "embedding"',
  messages: '"user_id", "agent_id", "message_id", "embedder", "embedding"',
};

/** A table of vectors by its name, and their width; undefined for any other name. */
export function vectorTable(name: string): (BackupTable & { readonly dimensions: number }) | undefined {
  const [, items, dimensions] = /^(passages|messages)_([1-9][0-9]{0,4})$/u.exec(name) ?? [];
  const columns = items === undefined ? undefined : vectorColumns[items];
  return columns === undefined ? undefined : { name, columns, dimensions: Number(dimensions) };
}

/** SQL for the names of the tables of vectors that there are. */
export const vectorTableNames =
  "select tablename as name from pg_tables where schemaname = current_schema() and tablename ~ '^(passages|messages)_[0-9]+$' order by 1";

/** The error for a file that is none, or no whole one. */
export function invalidBackup(expected: string, cause?: unknown): StoreError {
  return new StoreError("backup_invalid", `The backup cannot be read: ${expected}. The database was not changed.`, {
    cause,
  });
}

/** SQL for the newest migration; one row with `schema`. */
export const newestMigration =
  "select hash as schema from drizzle.__drizzle_migrations order by created_at desc limit 1";
