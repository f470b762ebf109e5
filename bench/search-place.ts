// A database of its own for a benchmark: created and dropped on a server, or in a folder of the embedded engine.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import postgres from "postgres";
import type { Store } from "../src/memory/store.ts";
import { connectOrServe } from "../src/store/embedded/connect-or-serve.ts";
import { openStore } from "../src/store/open-store.ts";

export interface Place {
  readonly store: Store;
  readonly sql: postgres.Sql;
  readonly isEmbedded: boolean;
  close(): Promise<void>;
}

export async function openPlace(serverUrl: string | undefined): Promise<Place> {
  const driver = { max: 1, onnotice: () => undefined, fetch_types: false } as const;
  if (serverUrl === undefined) {
    const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-bench-"));
    const store = await openStore({ connection: { kind: "embedded", folder, host: "worker" } });
    const served = await connectOrServe({ folder, host: "worker" });
    const sql = postgres({ ...served.connection, ...driver, prepare: false });
    const close = async (): Promise<void> => {
      await sql.end();
      await served.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    };
    return { store, sql, isEmbedded: true, close };
  }
  const name = `palimpsest_bench_${process.pid}`;
  const administrator = postgres(serverUrl, driver);
  await administrator.unsafe(`create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const store = await openStore({ connection: { kind: "server", url: url.href } });
  const sql = postgres(url.href, driver);
  const close = async (): Promise<void> => {
    await sql.end();
    await store.close();
    await administrator.unsafe(`drop database ${name} with (force)`);
    await administrator.end();
  };
  return { store, sql, isEmbedded: false, close };
}
