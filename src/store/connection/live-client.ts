// The client of the database, replaced when its embedded server is gone or suspended.
// Invariant: if several transactions find the server gone at once, only one replaces the client, for all. A single lost
// connection does not replace the client: its other connections continue.
import type { ConnectionCounts } from "../port/store.ts";
import type { EmbeddedServer } from "../embedded/connect-or-serve.ts";
import { type DatabaseClient, type DatabaseConnection, type Log, openClient } from "./database-client.ts";
import { isConnectionLate, isConnectionLost } from "./database-error.ts";

export interface LiveClient {
  readonly isClosed: boolean;
  /** The client in use. Rejected if the last attempt to open a client failed; the next transaction tries again. */
  readonly current: Promise<DatabaseClient>;
  /** Returns the connections of the last client that was opened. */
  counts(): ConnectionCounts;
  /**
   * Replaces this client if it never opened, or if `error` shows that no server is listening. Does nothing if the
   * client was replaced already.
   */
  replaceIfGone(current: Promise<DatabaseClient>, error: unknown): Promise<void>;
  /**
   * Watches the server during a transaction. If the server is suspended, closes the connections to it: transactions waiting on
   * them then fail, and the next connect reports what to do. Returns a function that ends the watch.
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

/** Opens the first client. Rejects if that fails. */
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
      // A client that never opened, or that fails to close, is replaced as well.
      .catch(() => undefined)
      .then(() => open());
    // If the new client cannot be opened, the next transaction throws the error.
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
