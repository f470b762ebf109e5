// A separate database for a benchmark: created and dropped on a server, or in a folder of the embedded engine.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import postgres from "postgres";
import type { Store } from "../src/store/port/store.ts";
import { type Database, openDatabase } from "../src/store/connection/database.ts";
import { connectOrServe } from "../src/store/embedded/connect-or-serve.ts";
import { openStore } from "../src/store/open-store.ts";
import { createOwnDatabase } from "./own-database.ts";

export interface Place {
  readonly store: Store;
  /** Compared queries use this database, and so one connection. */
  readonly database: Database;
  /** Runs as the owner, for unmeasured statements. */
  readonly sql: postgres.Sql;
  readonly isEmbedded: boolean;
  close(): Promise<void>;
}

export async function openPlace(serverUrl: string | undefined): Promise<Place> {
  const driver = { max: 1, onnotice: () => undefined, fetch_types: false } as const;
  if (serverUrl === undefined) {
    const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-bench-"));
    const connection = { kind: "embedded", folder, host: "worker" } as const;
    const store = await openStore({ connection });
    const database = await openDatabase({ connection });
    const served = await connectOrServe({ folder, host: "worker" });
    const sql = postgres({ ...served.connection, ...driver });
    const close = async (): Promise<void> => {
      await sql.end();
      await served.close();
      await database.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    };
    return { store, database, sql, isEmbedded: true, close };
  }
  const { url, drop } = await createOwnDatabase(serverUrl);
  const connection = { kind: "server", url } as const;
  const store = await openStore({ connection });
  const database = await openDatabase({ connection });
  const sql = postgres(url, driver);
  const close = async (): Promise<void> => {
    await sql.end();
    await database.close();
    await store.close();
    await drop();
  };
  return { store, database, sql, isEmbedded: false, close };
}
