// The client of the database, replaced when its embedded server is gone or suspended.
// Invariant: if several transactions find this at once, only one replaces it, for all. A single lost connection does
// not replace the client: its other connections continue.
import type { ConnectionCounts } from "../port/store.ts";
import type { EmbeddedServer } from "../embedded/connect-or-serve.ts";
import { type DatabaseClient, type DatabaseConnection, type Log, openClient } from "./database-client.ts";
import { isConnectionLate, isConnectionLost } from "./database-error.ts";

export interface LiveClient {
  readonly isClosed: boolean;
  /** Rejected if the last attempt to open a client failed; the next transaction tries again. */
  readonly current: Promise<DatabaseClient>;
  /** Returns the connections of the last client that was opened. */
  counts(): ConnectionCounts;
  /**
   * Replaces this client, unless already replaced, if `error` shows that no server is listening, or if it never opened.
   */
  replaceIfGone(current: Promise<DatabaseClient>, error: unknown): Promise<void>;
  /**
   * During a transaction: if the server is suspended, closes the connections to it. Those waiting on them then fail,
   * and the next connect reports what to do. The returned function ends the watch.
   */
  watch(watched: Promise<DatabaseClient>): () => void;
  close(): Promise<void>;
}

/** Milliseconds after which a transaction checks whether its server still runs. */
const stallMs = 1000;

interface LiveClientOptions {
  readonly connection: DatabaseConnection;
  /** The embedded server of the first client, if the caller has already started it. */
  readonly engine?: Promise<EmbeddedServer>;
  readonly log?: Log;
}

/** Rejects if the first client cannot be opened. */
export async function openLiveClient({ connection, engine, log }: LiveClientOptions): Promise<LiveClient> {
  let last: DatabaseClient;
  const open = async (started?: Promise<EmbeddedServer>): Promise<DatabaseClient> =>
    (last = await openClient(connection, { engine: started, log }));
  let client = open(engine);
  let isClosed = false;
  await client;

  const replace = (gone: Promise<DatabaseClient>): void => {
    if (client !== gone || isClosed || connection.kind !== "embedded") return;
    client = gone
      .then((old) => old.close(0))
      // One that never opened, or whose end fails, is replaced as well.
      .catch(() => undefined)
      .then(() => open());
    // The next transaction reports the failure, if there is one.
    client.catch(() => undefined);
  };

  return {
    get isClosed() {
      return isClosed;
    },
    get current() {
      return client;
    },
    counts: () => last.connections.counts(),
    async replaceIfGone(current, error) {
      const isOpen = await current.then(
        () => true,
        () => false,
      );
      // A late server is busy, or this process was suspended: replacing the client would fail the transactions in
      // progress.
      if (!isOpen || (isConnectionLost(error) && !isConnectionLate(error))) replace(current);
    },
    watch(watched) {
      const look = async (): Promise<void> => {
        const opened = await watched.catch(() => null);
        if (opened?.isServerStopped()) replace(watched);
      };
      const timer = setInterval(() => void look(), stallMs);
      return () => clearInterval(timer);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      const opened = await client.catch(() => null);
      await opened?.close();
    },
  };
}
