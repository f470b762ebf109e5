// Reads a backup into an empty database.
// Invariant: all of it or nothing: one transaction, which is rolled back when the file turns out not to be whole.
import { createReadStream } from "node:fs";
import { access, constants } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { RuntimeError, StoreError } from "../errors.ts";
import {
  backupFormat,
  type BackupHeader,
  type BackupTable,
  backupTables,
  backupVersion,
  invalidBackup,
  newestMigration,
  vectorTable,
} from "./backup-format.ts";
import type { Database } from "./database.ts";
import { isConnectionLost } from "./database-error.ts";
import { ensureVectorTables } from "./sql/vectors.ts";
import type { Transaction } from "./transaction.ts";

const batchRows = 200;
const batchLength = 1_000_000;

/** Throws StoreError: `backup_invalid`, or `store_failed` when the database is not empty. */
export async function restoreBackup(database: Database, file: string): Promise<void> {
  await access(file, constants.R_OK).catch((cause: unknown) => {
    throw invalidBackup(`there is no readable file ${file}`, cause);
  });
  await database.ownerTransaction(async (tx) => {
    await requireEmpty(tx);
    const lines = linesOf(file);
    const header = await lines.next();
    await requireHeader(tx, header.done ? "" : header.value);
    await insertAll(tx, lines);
  });
}

async function* linesOf(file: string): AsyncGenerator<string, undefined> {
  const unzipped = createGunzip();
  // What breaks either stream breaks `unzipped`, which throws below.
  pipeline(createReadStream(file), unzipped, () => undefined);
  unzipped.setEncoding("utf8");
  let rest = "";
  try {
    for await (const chunk of unzipped) {
      // Not by node:readline, which would also break lines at U+2028, and a text may hold that.
      const lines = `${rest}${chunk as string}`.split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (cause) {
    throw invalidBackup("expected a whole file of gzip'd lines, and it is cut off or damaged", cause);
  }
}

async function requireEmpty(tx: Transaction): Promise<void> {
  const any = backupTables.map(({ name }) => `exists (select from "${name}")`).join(" or ");
  const [found] = await tx.run<{ readonly any: boolean }>(`select ${any} as any`, []);
  if (found?.any) {
    throw new StoreError(
      "store_failed",
      "A backup is restored into an empty database only, and this one has rows. Nothing was changed. Name another folder by --data-dir, or an empty database by --database-url.",
    );
  }
}

async function requireHeader(tx: Transaction, line: string): Promise<void> {
  const header = parse(line) as Partial<BackupHeader>;
  if (header.format !== backupFormat) throw invalidBackup("expected a file that `palimpsest backup` wrote");
  if (header.version !== backupVersion)
    throw invalidBackup(`expected format version ${backupVersion}, it has ${String(header.version)}`);
  const [newest] = await tx.run<{ readonly schema: string }>(newestMigration, []);
  if (header.schema !== newest?.schema) {
    throw invalidBackup(
      "expected the schema of this version of Palimpsest, it was written by another; restore it with that one",
    );
  }
}

async function insertAll(tx: Transaction, lines: AsyncIterable<string>): Promise<void> {
  let table: BackupTable | null = null;
  let batch: string[] = [];
  let length = 0;
  let rows = 0;
  const flush = async (): Promise<void> => {
    if (table !== null && batch.length > 0) await insertBatch(tx, table, batch);
    rows += batch.length;
    batch = [];
    length = 0;
  };
  for await (const line of lines) {
    const mark = markOf(line);
    if (mark === null) {
      batch.push(line);
      length += line.length;
      if (batch.length >= batchRows || length >= batchLength) await flush();
      continue;
    }
    await flush();
    if ("end" in mark) {
      if (mark.rows === rows) return;
      break;
    }
    table = await tableNamed(tx, mark.table);
  }
  throw invalidBackup("expected a last line with the number of rows, and it does not have it");
}

type Mark = { readonly table: string } | { readonly end: true; readonly rows: number };

/** The line as one that is no row. Rows begin with their first column, and no table has a column of these names. */
function markOf(line: string): Mark | null {
  return /^\{"(?:table|end)":/u.test(line) ? (parse(line) as Mark) : null;
}

async function tableNamed(tx: Transaction, name: string): Promise<BackupTable> {
  const vectors = vectorTable(name);
  if (vectors !== undefined) await tx.run(ensureVectorTables, [vectors.dimensions]);
  const found = vectors ?? backupTables.find((table) => table.name === name);
  if (found === undefined)
    throw invalidBackup("expected the tables of this version of Palimpsest, and there is another");
  return found;
}

async function insertBatch(tx: Transaction, { name, columns }: BackupTable, lines: readonly string[]): Promise<void> {
  try {
    const statement = `insert into "${name}" (${columns}) select ${columns} from jsonb_populate_recordset(null::"${name}", $1::text::jsonb)`;
    await tx.run(statement, [`[${lines.join(",")}]`]);
  } catch (error) {
    if (error instanceof RuntimeError || isConnectionLost(error)) throw error;
    // Whatever the database did not like came out of the file.
    throw invalidBackup(`expected rows of the table ${name}, and there is something else`);
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw invalidBackup("expected lines of JSON", cause);
  }
}
