// A database as Letta's server 0.16.8 leaves it: rows that it wrote for three agents, in tables with the columns that they use.
// Invariant: on the test server if there is one, otherwise on an embedded engine behind a port; each has its own.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import postgres from "postgres";

export interface LettaCopy {
  readonly url: string;
  run(statement: string): Promise<void>;
  /** Gives the tables their rows again. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

type Copied = Omit<LettaCopy, "restore">;

interface StoredTable {
  readonly columns: Readonly<Record<string, string>>;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

const stored = fileURLToPath(new URL("../fixtures/letta/database.json", import.meta.url));

/** The rows of its tables, in Letta's form. */
export const lettaTables = JSON.parse(readFileSync(stored, "utf8")) as Readonly<Record<string, StoredTable>>;

export async function openLettaCopy(): Promise<LettaCopy> {
  const server = process.env["TEST_DATABASE_URL"];
  const copy = server === undefined || server === "" ? await embedded() : await onServer(server);
  const restore = async () => {
    for (const [name, table] of Object.entries(lettaTables)) await copy.run(statementsOf(name, table));
  };
  await restore();
  return { ...copy, restore };
}

function statementsOf(name: string, { columns, rows }: StoredTable): string {
  const types = Object.entries(columns).map(([column, type]) => `"${column}" ${type}`);
  const values = JSON.stringify(rows).replaceAll("'", "''");
  return `drop table if exists "${name}"; create table "${name}" (${types.join(", ")});
    insert into "${name}" select * from jsonb_populate_recordset(null::"${name}", '${values}')`;
}

async function embedded(): Promise<Copied> {
  const engine = await PGlite.create();
  const server = new PGLiteSocketServer({ db: engine, host: "127.0.0.1", port: 0 });
  await server.start();
  return {
    url: `postgresql://postgres@${server.getServerConn()}/postgres`,
    run: async (statement) => void (await engine.exec(statement)),
    close: async () => {
      await server.stop();
      await engine.close();
    },
  };
}

async function onServer(serverUrl: string): Promise<Copied> {
  const name = `letta_${randomBytes(6).toString("hex")}`;
  const administrator = postgres(serverUrl, { max: 1, onnotice: () => undefined });
  await administrator.unsafe(`create database "${name}"`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const sql = postgres(url.href, { max: 1, onnotice: () => undefined });
  return {
    url: url.href,
    run: async (statement) => void (await sql.unsafe(statement)),
    close: async () => {
      await sql.end();
      await administrator.unsafe(`drop database "${name}" with (force)`);
      await administrator.end();
    },
  };
}
