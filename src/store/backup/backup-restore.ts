// Reads a backup into an empty database.
// Invariant: one transaction, which commits only after every line was read and the digest of the last line matches.
import { RuntimeError, StoreError } from "../../base/errors.ts";
import type { RestoreReport } from "../port/backup.ts";
import {
  type BackupEnd,
  backupFormat,
  type BackupHeader,
  backupVersion,
  createBackupDigest,
  invalidBackup,
  maxLineBytes,
  newestMigration,
} from "./backup-format.ts";
import { type BackupLine, readBackupLines } from "./backup-lines.ts";
import type { Database } from "../connection/database.ts";
import { sqlStateOf } from "../connection/database-error.ts";
import { externalObjects } from "../objects/named-objects.ts";
import { ensureVectorTables } from "../sql/vectors.ts";
import { type StoredTable, storedTables, vectorTable } from "./stored-tables.ts";
import type { Transaction } from "../connection/transaction.ts";

const batchRows = 200;
const batchBytes = 1_000_000;

/**
 * Restores a backup, and returns the number of its rows, and the objects outside the database that its rows name. Throws
 * StoreError: `backup_invalid`, or `store_failed` if the database is not empty.
 */
export async function restoreBackup(database: Database, file: string): Promise<RestoreReport> {
  return database.ownerTransaction(async (tx) => {
    await requireEmpty(tx);
    const rows = await insertAll(tx, readBackupLines(file, maxLineBytes));
    return { rows, external: await externalObjects(tx) };
  });
}

async function requireEmpty(tx: Transaction): Promise<void> {
  // Until this transaction ends, no other transaction can add a user. A second restore waits, and then finds the rows of
  // the first.
  await tx.run("lock table users in exclusive mode", []);
  const any = storedTables.map(({ name }) => `exists (select from "${name}")`).join(" or ");
  const [found] = await tx.run<{ readonly any: boolean }>(`select ${any} as any`, []);
  if (found?.any) {
    throw new StoreError(
      "store_failed",
      "Expected an empty database to restore into, got one with rows. Nothing was changed. Name another `dataDir`, or the `databaseUrl` of an empty database.",
    );
  }
}

/** Inserts all rows, and returns their number. */
async function insertAll(tx: Transaction, lines: AsyncIterable<BackupLine>): Promise<number> {
  const digest = createBackupDigest();
  let insert: RowInserter | null = null;
  let rows = 0;
  let isOver = false;
  for await (const { number, bytes, text } of lines) {
    if (isOver) throw invalidBackup(`line ${number} comes after the line that ends a backup`);
    const isRow = number > 1 && !isMark(text);
    if (isRow) {
      if (insert === null) throw invalidBackup(`line ${number} is a row, but no line before it names a table`);
      await insert.add({ number, bytes, text });
      rows += 1;
    } else {
      await insert?.flush();
      const mark = parseMark(number, text);
      if (number === 1) await requireHeader(tx, mark as Partial<BackupHeader>);
      else if ("end" in mark) {
        requireEnd(number, mark as Partial<BackupEnd>, { rows, sha256: digest.digest("hex") });
        isOver = true;
        continue;
      } else insert = createRowInserter(tx, await tableOf(tx, number, mark));
    }
    digest.update(bytes).update("\n");
  }
  if (!isOver) throw invalidBackup("expected a last line with the number of rows and the digest, got none");
  return rows;
}

/** Returns whether a line names a table or ends the backup. In rows, PostgreSQL puts a space after each colon. */
function isMark(text: string): boolean {
  return text.startsWith('{"table":"') || text.startsWith('{"end":true');
}

function parseMark(number: number, text: string): Readonly<Record<string, unknown>> {
  let mark: unknown;
  try {
    mark = JSON.parse(text);
  } catch (cause) {
    throw invalidBackup(`line ${number} is not JSON, expected a file that \`runtime.backup()\` wrote`, cause);
  }
  if (typeof mark === "object" && mark !== null) return mark as Readonly<Record<string, unknown>>;
  throw invalidBackup(`line ${number} is not an object, expected a file that \`runtime.backup()\` wrote`);
}

async function requireHeader(tx: Transaction, header: Partial<BackupHeader>): Promise<void> {
  if (header.format !== backupFormat)
    throw invalidBackup("expected a file that `runtime.backup()` wrote, got another kind of file");
  if (header.version !== backupVersion)
    throw invalidBackup(`expected format version ${backupVersion}, got ${String(header.version)}`);
  const [newest] = await tx.run<{ readonly schema: string }>(newestMigration, []);
  if (header.schema !== newest?.schema) {
    throw invalidBackup(
      "expected the schema of this version of Palimpsest, got the schema of another version. Restore the backup with the version that wrote it",
    );
  }
}

function requireEnd(number: number, end: Partial<BackupEnd>, read: Omit<BackupEnd, "end">): void {
  if (end.rows !== read.rows)
    throw invalidBackup(`line ${number} says ${String(end.rows)} rows, but ${read.rows} come before it`);
  if (end.sha256 !== read.sha256)
    throw invalidBackup(`the digest in line ${number} does not match the lines before it, so the file was changed`);
}

async function tableOf(
  tx: Transaction,
  number: number,
  { table }: Readonly<Record<string, unknown>>,
): Promise<StoredTable> {
  const vectors = vectorTable(String(table));
  if (vectors !== undefined) await tx.run(ensureVectorTables, [vectors.dimensions]);
  const found = vectors ?? storedTables.find(({ name }) => name === table);
  if (found !== undefined) return found;
  throw invalidBackup(`line ${number} names a table that this version of Palimpsest does not have`);
}

interface RowInserter {
  add(line: BackupLine): Promise<void>;
  flush(): Promise<void>;
}

/** Returns an inserter that works in batches, so that memory does not grow with the table. */
function createRowInserter(tx: Transaction, table: StoredTable): RowInserter {
  let batch: BackupLine[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    const lines = batch;
    [batch, size] = [[], 0];
    if (lines.length > 0) await insertBatch(tx, table, lines);
  };
  return {
    async add(line) {
      batch.push(line);
      size += line.bytes.length;
      if (batch.length >= batchRows || size >= batchBytes) await flush();
    },
    flush,
  };
}

// SQLSTATE classes for invalid values, violated constraints, missing tables or columns, and values that are too large.
const faultsOfRows = /^(?:22|23|42|54)/u;

async function insertBatch(
  tx: Transaction,
  { name, columns }: StoredTable,
  lines: readonly BackupLine[],
): Promise<void> {
  try {
    const statement = `insert into "${name}" (${columns}) select ${columns} from jsonb_populate_recordset(null::"${name}", $1::text::jsonb)`;
    await tx.run(statement, [`[${lines.map(({ text }) => text).join(",")}]`]);
  } catch (error) {
    if (error instanceof RuntimeError || !faultsOfRows.test(sqlStateOf(error) ?? "")) throw error;
    throw invalidBackup(
      `lines ${lines[0]!.number} to ${lines.at(-1)!.number} contain a row that the table ${name} does not accept`,
      { code: sqlStateOf(error) },
    );
  }
}
