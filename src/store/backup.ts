// Writes every row of every user to a file.
// Invariant: the file is of one moment, and it stands under its name only when it is whole.
import { open, rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { StoreError } from "../errors.ts";
import {
  backupFormat,
  type BackupHeader,
  type BackupTable,
  backupTables,
  backupVersion,
  newestMigration,
  vectorTable,
  vectorTableNames,
} from "./backup-format.ts";
import type { Database } from "./database.ts";
import type { Transaction } from "./transaction.ts";

// Rows can be large (a message of a megabyte, a vector as text): few at a time keep the memory small.
const rowsPerFetch = 50;

/** Writes the backup. An existing file is replaced when the new one is whole. Throws StoreError. */
export async function writeBackup(database: Database, file: string): Promise<void> {
  const unfinished = `${file}.unfinished-${process.pid}`;
  const output = await open(unfinished, "w", 0o600).catch((cause: unknown) => {
    throw new StoreError(
      "store_failed",
      `The backup cannot be written to ${file}: the file cannot be made there. Name a folder that exists and in which you may write.`,
      {
        cause,
      },
    );
  });
  try {
    await database.ownerTransaction(async (tx) => {
      await pipeline(linesOf(tx), createGzip(), output.createWriteStream());
    });
    await rename(unfinished, file);
  } catch (error) {
    await output.close();
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function* linesOf(tx: Transaction): AsyncGenerator<string> {
  await tx.run("set transaction isolation level repeatable read, read only", []);
  const [newest] = await tx.run<{ readonly schema: string }>(newestMigration, []);
  const header: BackupHeader = {
    format: backupFormat,
    version: backupVersion,
    schema: newest?.schema ?? "",
    createdAt: new Date().toISOString(),
  };
  yield `${JSON.stringify(header)}\n`;
  let rows = 0;
  for (const { name, columns } of [...backupTables, ...(await vectorTables(tx))]) {
    yield `${JSON.stringify({ table: name })}\n`;
    // A cursor, as SQL: each fetch is one plain statement, and the whole is read in one pass, in whatever order.
    await tx.run(
      `declare backup_rows no scroll cursor for select to_jsonb(r)::text as row from (select ${columns} from "${name}") r`,
      [],
    );
    for (;;) {
      const batch = await tx.run<{ readonly row: string }>(`fetch ${rowsPerFetch} from backup_rows`, []);
      if (batch.length === 0) break;
      rows += batch.length;
      yield batch.map(({ row }) => `${row}\n`).join("");
    }
    await tx.run("close backup_rows", []);
  }
  yield `${JSON.stringify({ end: true, rows })}\n`;
}

async function vectorTables(tx: Transaction): Promise<readonly BackupTable[]> {
  const names = await tx.run<{ readonly name: string }>(vectorTableNames, []);
  return names.map(({ name }) => vectorTable(name)).filter((table) => table !== undefined);
}
