// The client of the database, replaced when the embedded server behind it has gone or stands still.
// Invariant: however many transactions find that out at once, one replaces it for all.
import { type DatabaseClient, type DatabaseConnection, type Log, openClient, poolSize } from "./database-client.ts";
import { isConnectionBroken, isConnectionLost } from "./database-error.ts";

export interface LiveClient {
  readonly isClosed: boolean;
  /** Rejected when the last attempt to open one failed; the next transaction tries again. */
  readonly current: Promise<DatabaseClient>;
  /** Opens another one in place of this, if nobody has done so. */
  replace(gone: Promise<DatabaseClient>): void;
  /**
   * While a transaction is under way: ends the connections to a server that was stopped, so that whoever waits on them is
   * told, and the next to connect what to do. The returned function ends the watch.
   */
  watch(watched: Promise<DatabaseClient>): () => void;
  /** How often a transaction that could not begin is tried again: whatever broke, no statement of the caller's has run. */
  retriesFor(error: unknown): number;
  close(): Promise<void>;
}

/** A transaction that takes longer looks whether its server still runs. */
const stallMs = 1000;

interface LiveClientOptions {
  readonly connection: DatabaseConnection;
  readonly log?: Log;
}

/** Rejects when the first client cannot be opened. */
export async function openLiveClient({ connection, log }: LiveClientOptions): Promise<LiveClient> {
  const open = async (): Promise<DatabaseClient> => openClient(connection, log);
  let client = open();
  let isClosed = false;
  await client;

  const replace = (gone: Promise<DatabaseClient>): void => {
    if (client !== gone || isClosed || connection.kind === "server") return;
    client = gone.then((old) => old.close(0)).then(open, open);
    // The next transaction meets the failure, if it is one.
    client.catch(() => undefined);
  };

  return {
    get isClosed() {
      return isClosed;
    },
    get current() {
      return client;
    },
    replace,
    watch(watched) {
      const look = async (): Promise<void> => {
        const opened = await watched.catch(() => null);
        if (opened?.isServerStopped()) replace(watched);
      };
      const timer = setInterval(() => void look(), stallMs);
      return () => clearInterval(timer);
    },
    retriesFor(error) {
      // A restarted server leaves a pool of broken connections, and each is found out by using it.
      if (isConnectionBroken(error)) return poolSize + 1;
      return isConnectionLost(error) && connection.kind === "embedded" ? 1 : 0;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      const opened = await client.catch(() => null);
      await opened?.close();
    },
  };
}
