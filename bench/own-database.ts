// A database of a benchmark's own on a PostgreSQL server.
// Invariant: only `drop` removes it, also while something is connected to it.
import { randomBytes } from "node:crypto";
import postgres from "postgres";

export interface OwnDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Creates an empty database on the server of `serverUrl`. */
export async function createOwnDatabase(serverUrl: string): Promise<OwnDatabase> {
  const name = `palimpsest_bench_${randomBytes(4).toString("hex")}`;
  await asAdministrator(serverUrl, `create database ${name}`);
  return {
    url: Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href,
    drop: () => asAdministrator(serverUrl, `drop database ${name} with (force)`),
  };
}

async function asAdministrator(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  await sql.unsafe(statement);
  await sql.end();
}
