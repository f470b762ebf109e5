// A host on a database of its own, served on a free port, with a key of the user `ada`.
// Invariant: what fails in the server is in `failures`; whoever closes it expects none.
import { createHost, type HostOptions } from "../../src/compose.ts";
import type { Host } from "../../src/runtime/host.ts";
import { serve, type ServeOptions } from "../../src/server/serve.ts";
import { createTestDatabase } from "./database.ts";

export interface ServedHost {
  readonly host: Host;
  readonly url: string;
  readonly key: string;
  readonly failures: unknown[];
  /** Ends the server, and removes the database. */
  close(): Promise<void>;
}

export async function serveTestHost(
  options: Partial<HostOptions>,
  serving: Pick<ServeOptions, "origins" | "dataDir"> = {},
): Promise<ServedHost> {
  const database = await createTestDatabase();
  const { connection } = database;
  const place = connection.kind === "server" ? { databaseUrl: connection.url } : { dataDir: connection.folder };
  const host = await createHost({ ...place, embedder: null, timeZone: "UTC", ...options });
  const { secret: key } = await host.keys.create("ada");
  const failures: unknown[] = [];
  const served = await serve({
    host,
    verify: (secret) => host.keys.verify(secret),
    version: "0.0.0",
    hostname: "127.0.0.1",
    port: 0,
    ...serving,
    maxRequestsPerMinute: 100_000,
    onFailure: (_id, error) => failures.push(error),
  });
  return {
    host,
    url: served.url,
    key,
    failures,
    async close() {
      await served.close();
      await database.remove();
    },
  };
}
