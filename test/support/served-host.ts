// A host on a database of its own, served on a free port, with a key of the user `ada`.
// Invariant: what fails in the server is in `failures`; whoever closes it expects none.
import { createHost, type HostOptions } from "../../src/runtime/compose/compose.ts";
import type { Host } from "../../src/runtime/host.ts";
import { serve, type Served, type ServeOptions } from "../../src/surfaces/http/serve.ts";
import { createTestDatabase, placeOf, type TestDatabase } from "./database.ts";

export interface ServedHost {
  readonly host: Host;
  readonly url: string;
  readonly key: string;
  readonly failures: unknown[];
  /** Ends the server. */
  end: Served["close"];
  /** Ends the server, and removes the database. */
  close(): Promise<void>;
}

interface Serving extends Partial<Omit<ServeOptions, "host" | "verify" | "onFailure">> {
  /** Called with the text of a key that is looked up. */
  readonly onVerify?: (secret: string) => void;
  /** Whoever passes one removes it. Default: a new one, which `close` removes. */
  readonly database?: TestDatabase;
}

const unlimited = { requestsPerMinute: 100_000 };

export async function serveTestHost(
  options: Partial<HostOptions>,
  { onVerify, database: given, ...serving }: Serving = {},
): Promise<ServedHost> {
  const database = given ?? (await createTestDatabase());
  const place = placeOf(database);
  const host = await createHost({ ...place, embedder: null, timeZone: "UTC", ...options });
  const { secret: key } = await host.keys.create("ada", { scope: "admin" });
  const failures: unknown[] = [];
  const served = await serve({
    host,
    async verify(secret) {
      onVerify?.(secret);
      return host.keys.verify(secret);
    },
    version: "0.0.0",
    hostname: "127.0.0.1",
    port: 0,
    ...serving,
    share: { ...unlimited, ...serving.share },
    onFailure: (_id, error) => failures.push(error),
  });
  let ended: Promise<void> | null = null;
  const end: Served["close"] = (options) => (ended ??= served.close(options));
  return {
    host,
    url: served.url,
    key,
    failures,
    end,
    async close() {
      await end();
      if (given === undefined) await database.remove();
    },
  };
}
