// A pool of connections to one database.
// Invariant: a connection has one user at a time, there are never more than `size` connections, and a lost connection
// is not handed out.
import { type Clock, systemClock, within } from "../../base/clock.ts";
import { createFairPlaces } from "../../base/fair-places.ts";
import type { ConnectionCounts } from "../port/store.ts";
import { type Connection, lostError } from "./connection.ts";

/** Maximum number of connections, unless configured. */
export const defaultSize = 10;

export interface ConnectionPool {
  counts(): ConnectionCounts;
  /**
   * Returns a connection. Waits in the user's queue if all are in use; freed connections go to the users in turn. Rejects if no
   * connection can be made, or if the pool is closed.
   */
  take(userId: string): Promise<Connection>;
  /**
   * Returns a connection to the pool; call it once for each connection that was taken. A spoiled connection is closed and not
   * reused. If it was lost, idle connections are closed, too: the server may be gone, and their loss not noticed yet.
   */
  release(connection: Connection, condition: "clean" | "spoiled"): void;
  /** Closes all connections; those in use have `graceSeconds` to be returned. */
  close(graceSeconds: number): Promise<void>;
}

export interface PoolOptions {
  readonly size: number;
  /** Maximum connections that one user may have at a time. Default: the whole pool. */
  readonly maxOfUser?: number;
  /** Milliseconds after which an idle connection is closed. Default: never. */
  readonly idleMs?: number;
  readonly clock?: Clock;
}

export function createConnectionPool(open: () => Promise<Connection>, options: PoolOptions): ConnectionPool {
  const { size, maxOfUser = size } = options;
  const places = createFairPlaces({ size, maxOfOne: maxOfUser });
  /** Connections in use, each with the function that frees its place. */
  const taken = new Map<Connection, () => void>();
  const endings = new Set<Promise<void>>();
  let isClosed = false;

  const end: EndConnection = (connection, graceSeconds) => {
    const ending = connection.close(graceSeconds).finally(() => endings.delete(ending));
    endings.add(ending);
  };
  const idle = createIdleConnections(end, options);

  const openOne = async (): Promise<Connection> => {
    const connection = await open();
    if (!isClosed) return connection;
    await connection.close(0);
    throw lostError();
  };

  return {
    counts: () => ({ max: size, open: taken.size + idle.count(), idle: idle.count(), waiting: places.waiting() }),
    async take(userId) {
      const free = await places.take(userId);
      try {
        if (isClosed) throw lostError();
        const connection = idle.take() ?? (await openOne());
        taken.set(connection, free);
        return connection;
      } catch (error) {
        free();
        throw error;
      }
    },
    release(connection, condition) {
      const free = taken.get(connection);
      taken.delete(connection);
      const isLost = connection.isLost();
      if (isClosed || condition === "spoiled") end(connection, 0);
      else idle.add(connection);
      if (isLost) idle.endAll(0);
      free?.();
    },
    async close(graceSeconds) {
      await within(places.allFree(), graceSeconds * 1000);
      isClosed = true;
      idle.endAll(graceSeconds);
      for (const connection of taken.keys()) end(connection, 0);
      await Promise.all(endings);
    },
  };
}

type EndConnection = (connection: Connection, graceSeconds: number) => void;

interface IdleConnections {
  count(): number;
  add(connection: Connection): void;
  /** Returns the most recently used connection, which has the statements cached; dead connections are dropped. */
  take(): Connection | undefined;
  endAll(graceSeconds: number): void;
}

/** Seconds that a server has to close its side of a connection that was idle for too long. */
const idleGraceSeconds = 5;

function createIdleConnections(
  end: EndConnection,
  { idleMs, clock = systemClock }: Pick<PoolOptions, "idleMs" | "clock">,
): IdleConnections {
  /** Idle connections with the time of their return, in milliseconds since 1970; the longest idle one first. */
  const idle: { readonly connection: Connection; readonly since: number }[] = [];
  let emptied = new AbortController();
  let isExpiring = false;

  /** Ends connections that are idle for too long, until none is idle. */
  async function expire(afterMs: number): Promise<void> {
    if (isExpiring) return;
    isExpiring = true;
    for (let first = idle[0]; first !== undefined; first = idle[0]) {
      const leftMs = first.since + afterMs - clock.now().getTime();
      if (leftMs > 0) await sleep(leftMs);
      else end(idle.shift()!.connection, idleGraceSeconds);
    }
    isExpiring = false;
  }

  async function sleep(ms: number): Promise<void> {
    await clock.sleep(ms, emptied.signal, { background: true }).catch(() => "all were ended");
  }

  return {
    count: () => idle.length,
    add(connection) {
      idle.push({ connection, since: clock.now().getTime() });
      if (idleMs !== undefined) void expire(idleMs);
    },
    take() {
      for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
        if (!last.connection.isLost()) return last.connection;
        end(last.connection, 0);
      }
      return undefined;
    },
    endAll(graceSeconds) {
      for (const { connection } of idle.splice(0)) end(connection, graceSeconds);
      emptied.abort();
      emptied = new AbortController();
    },
  };
}
