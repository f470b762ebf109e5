// A migrated store on an engine that has pg_textsearch beside pgvector, with an index of it over everybody's passages, as an
// administrator may have made it. Whatever engine the suite runs on: this one is in memory, behind the embedded engine's own server.
import net from "node:net";
import { PGlite } from "@electric-sql/pglite";
import { pg_textsearch as textsearch } from "@electric-sql/pglite-pg_textsearch";
import { vector } from "@electric-sql/pglite-pgvector";
import type { Store } from "../../src/store/port/store.ts";
import { createBackend } from "../../src/store/embedded/backend.ts";
import { createBackendTurns } from "../../src/store/embedded/backend-turns.ts";
import { serveClient } from "../../src/store/embedded/client-connection.ts";
import { packageMigrations } from "../../src/store/embedded/migration-journal.ts";
import { readPreparedFolder } from "../../src/store/embedded/prepared-folder.ts";
import { openStore } from "../../src/store/open-store.ts";

export interface StoreBesideTextsearch {
  readonly store: Store;
  /** Passages as pg_textsearch ranks them for a user, in the runtime's role: content and score, best first. */
  rankedByTextsearch(userId: string, query: string): Promise<readonly { content: string; score: number }[]>;
  close(): Promise<void>;
}

export async function openStoreBesideTextsearch(): Promise<StoreBesideTextsearch> {
  const prepared = readPreparedFolder(packageMigrations());
  const engine = await PGlite.create({
    extensions: { vector, pg_textsearch: textsearch },
    ...(prepared === undefined ? {} : { loadDataDir: prepared }),
  });
  await engine.exec("create extension pg_textsearch");
  const backend = await createBackend(engine);
  const turns = createBackendTurns(backend, 5000);
  const broken: unknown[] = [];
  const served = { backend, turns, secret: undefined, onBroken: (cause: unknown) => void broken.push(cause) };
  const server = net.createServer((socket) => serveClient(socket, served));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const store = await openStore({ connection: { kind: "server", url } });
  await engine.exec(
    "create index everybodys_words on passages using bm25 (search_text) with (text_config = 'english')",
  );
  return {
    store,
    rankedByTextsearch: (userId, query) =>
      engine.transaction(async (tx) => {
        await tx.exec("set local role palimpsest_runtime");
        await tx.query("select set_config('palimpsest.user_id', $1, true)", [userId]);
        const ranking = "search_text <@> to_bm25query($1, 'everybodys_words')";
        const { rows } = await tx.query<{ content: string; score: number }>(
          `select content, -(${ranking}) as score from passages order by ${ranking}, id`,
          [query],
        );
        return rows;
      }),
    async close() {
      await store.close();
      await new Promise((resolve) => server.close(resolve));
      await engine.close();
      if (broken.length > 0) throw broken[0];
    },
  };
}
