// The client of the database, replaced when the embedded server behind it has gone or was stopped.
// Invariant: however many transactions find that out at once, one replaces it for all. A connection that was lost is no sign
// of it: the others of the client go on.
import { type DatabaseClient, type DatabaseConnection, type Log, openClient } from "./database-client.ts";
import { isConnectionLate, isConnectionLost } from "./database-error.ts";

export interface LiveClient {
  readonly isClosed: boolean;
  /** Rejected when the last attempt to open one failed; the next transaction tries again. */
  readonly current: Promise<DatabaseClient>;
  /** Replaces this client, unless that was done, when `error` says that nobody serves where it connects, or it never opened. */
  replaceIfGone(current: Promise<DatabaseClient>, error: unknown): Promise<void>;
  /**
   * While a transaction is under way: ends the connections to a server that was stopped, so that whoever waits on them is
   * told, and the next to connect what to do. The returned function ends the watch.
   */
  watch(watched: Promise<DatabaseClient>): () => void;
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
    async replaceIfGone(current, error) {
      const isOpen = await current.then(
        () => true,
        () => false,
      );
      // A server that is late is busy, or this process stood still: those that are connected would lose what they do.
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
