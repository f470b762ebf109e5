// Writes every row of every user to a file.
// Invariant: all rows are from one snapshot, and the file gets its name only when it is complete.
import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { every } from "../../base/clock.ts";
import { RuntimeError, StoreError } from "../../base/errors.ts";
import { reasonOf } from "../../base/thrown-values.ts";
import type { BackupReport } from "../port/backup.ts";
import {
  type BackupEnd,
  backupFormat,
  type BackupHeader,
  backupVersion,
  createBackupDigest,
  newestMigration,
} from "./backup-format.ts";
import type { Database } from "../connection/database.ts";
import { fullDiskError, isConnectionLost, isFullDisk } from "../connection/database-error.ts";
import { externalObjects } from "../objects/named-objects.ts";
import { type StoredTable, storedTables, vectorTable, vectorTableNames } from "./stored-tables.ts";
import type { Transaction } from "../connection/transaction.ts";

// Rows can be large (a message of a megabyte, a vector as text): small batches keep memory low.
const rowsPerFetch = 50;

/**
 * After this many characters of rows, a statement is sent: the embedded engine disconnects a client that sends nothing for
 * 2.5 s while another client waits, and compressing 50 large rows can take longer.
 */
const charactersPerStatement = 1_000_000;

/** Milliseconds between statements during writing, because flushing a large file to the disk can take more than 2.5 s, too. */
const statementEveryMs = 1000;

/** Writes the backup. An existing file is replaced once the new one is complete. Throws StoreError. */
export async function writeBackup(database: Database, file: string): Promise<BackupReport> {
  // A random name, because another backup to the file may be running, even in another container with the same process id.
  const unfinished = `${file}.unfinished-${randomUUID()}`;
  const output = await open(unfinished, "wx", 0o600).catch((cause: unknown) => {
    throw new StoreError(
      "store_failed",
      `The backup cannot be written to ${file}: the file cannot be created. Name an existing folder that you may write to.`,
      { cause },
    );
  });
  try {
    const report = await database.ownerTransaction(async (tx) => {
      await tx.run("set transaction isolation level repeatable read, read only", []);
      let rows = 0;
      const lines = backupLines(tx, (count) => {
        rows = count;
      });
      const stop = every(statementEveryMs, async () => void (await tx.run("select 1", [])));
      // `flush` writes the content to the disk before `rename` gives the file its name.
      const written = pipeline(lines, createGzip(), output.createWriteStream({ flush: true }));
      await written.finally(stop).catch((error: unknown) => {
        // A lost connection to the database is an error of the operating system, too, but not of the file.
        throw isConnectionLost(error) ? error : fileError(file, error);
      });
      return { rows, external: await externalObjects(tx) };
    });
    await rename(unfinished, file).catch((error: unknown) => {
      throw fileError(file, error);
    });
    return report;
  } catch (error) {
    await output.close();
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Returns the error for a file that the operating system refuses to write, and any other error unchanged. */
function fileError(file: string, error: unknown): unknown {
  if (error instanceof RuntimeError || !(error instanceof Error && "syscall" in error)) return error;
  if (isFullDisk(error)) return fullDiskError(`the disk of ${file}`, error);
  return new StoreError("store_failed", `The backup cannot be written to ${file}: ${reasonOf(error)}.`, {
    cause: error,
  });
}

/** Yields the file's content in pieces of complete lines. Calls `onRows` at the end with the number of rows. */
async function* backupLines(tx: Transaction, onRows: (rows: number) => void): AsyncGenerator<string> {
  const digest = createBackupDigest();
  const added = (lines: string): string => {
    digest.update(lines);
    return lines;
  };
  yield added(`${JSON.stringify(await headerOf(tx))}\n`);
  let rows = 0;
  for (const table of [...storedTables, ...(await vectorTables(tx))]) {
    yield added(`${JSON.stringify({ table: table.name })}\n`);
    for await (const batch of rowsOf(tx, table)) {
      rows += batch.length;
      yield added(batch.map((row) => `${row}\n`).join(""));
    }
  }
  onRows(rows);
  const end: BackupEnd = { end: true, rows, sha256: digest.digest("hex") };
  yield `${JSON.stringify(end)}\n`;
}

async function headerOf(tx: Transaction): Promise<BackupHeader> {
  const [newest] = await tx.run<{ readonly schema: string }>(newestMigration, []);
  return {
    format: backupFormat,
    version: backupVersion,
    schema: newest?.schema ?? "",
    createdAt: new Date().toISOString(),
  };
}

async function* rowsOf(tx: Transaction, { name, columns }: StoredTable): AsyncGenerator<readonly string[]> {
  // Uses a cursor in SQL: each fetch is one plain statement, and the table is scanned once, in any order.
  await tx.run(
    `declare backup_rows no scroll cursor for select to_jsonb(r)::text as row from (select ${columns} from "${name}") r`,
    [],
  );
  for (;;) {
    const batch = await tx.run<{ readonly row: string }>(`fetch ${rowsPerFetch} from backup_rows`, []);
    if (batch.length === 0) break;
    let piece: string[] = [];
    let characters = 0;
    for (const { row } of batch) {
      if (characters > charactersPerStatement) {
        yield piece;
        await tx.run("select 1", []);
        [piece, characters] = [[], 0];
      }
      piece.push(row);
      characters += row.length;
    }
    yield piece;
  }
  await tx.run("close backup_rows", []);
}

async function vectorTables(tx: Transaction): Promise<readonly StoredTable[]> {
  const names = await tx.run<{ readonly name: string }>(vectorTableNames, []);
  return names.map(({ name }) => vectorTable(name)).filter((table) => table !== undefined);
}
