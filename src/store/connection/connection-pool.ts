// Opens connections to one database, each for one transaction at a time, and pools them.
// Invariant: a connection never reconnects silently, and nothing is written to it after it is lost. A connection has one
// holder at a time, there are never more than `size` connections, and a lost connection is not handed out.
import type postgres from "postgres";
import type { Sql } from "postgres";
import { type Clock, systemClock, within } from "../../base/clock.ts";
import { StoreError } from "../../base/errors.ts";
import { createFairPlaces } from "../../base/fair-places.ts";
import type { ConnectionCounts } from "../port/store.ts";
import { timeOf } from "../stored-values.ts";

/** Creates a driver client with at most one connection. The driver calls `onclose` when that connection is closed. */
export type ConnectDriver = (options: { readonly max: 1; readonly onclose: () => void }) => postgres.Sql;

/** Sends a statement in a transaction, like the driver's `unsafe`. */
export type SendStatement = (...statement: Parameters<Sql["unsafe"]>) => ReturnType<Sql["unsafe"]>;

export interface Connection {
  /** Sends a statement. Throws if the connection is lost. */
  readonly send: SendStatement;
  isLost(): boolean;
  /** Settles like the work, but rejects as soon as the connection is lost. */
  orLost<Result>(work: Promise<Result>): Promise<Result>;
  /**
   * Closes the connection; statements in progress fail. The server is notified, and has `graceSeconds` to close its
   * side.
   */
  close(graceSeconds: number): Promise<void>;
}

/** Opens a connection. Rejects with the driver's error if the driver cannot connect; nothing stays open then. */
export async function openConnection(connect: ConnectDriver): Promise<Connection> {
  const { isLost, lose, orLost } = createLoss();
  const sql = connect({ max: 1, onclose: lose });
  useOwnTypes(sql);
  try {
    // Opens the connection first, because the driver (3.4.9) never resolves `reserve` on a connection that is not open.
    await sql.unsafe("select 1");
    requireOpen();
    // The connection stays reserved until it is closed. Without a reservation, the driver would reconnect within a transaction
    // and run the remaining statements as the owner.
    const reserved = await sql.reserve();
    return {
      send(...statement) {
        // The socket cannot close between this check and the driver's write, because only microtasks run in between. Writing
        // to a closed socket would end the process.
        requireOpen();
        return reserved.unsafe(...statement);
      },
      isLost,
      orLost,
      async close(graceSeconds) {
        if (!isLost()) reserved.release();
        lose();
        await sql.end({ timeout: graceSeconds });
      },
    };
  } catch (error) {
    await sql.end({ timeout: 0 });
    throw error;
  }

  function requireOpen(): void {
    if (isLost()) throw lostError();
  }
}

/** Records the loss of a connection, and rejects the promises that wait for its answers. */
export interface Loss extends Pick<Connection, "isLost" | "orLost"> {
  lose(): void;
}

/**
 * Creates the `Loss` of a connection that is not lost yet. `orLost` does not use `Promise.race` with one promise of the loss:
 * that promise would keep the result of every transaction in memory as long as the connection lives.
 */
export function createLoss(): Loss {
  const waiting = new Set<(reason: Error) => void>();
  let isLost = false;
  return {
    isLost: () => isLost,
    lose() {
      isLost = true;
      for (const reject of waiting) reject(lostError());
      waiting.clear();
    },
    orLost: (work) =>
      new Promise((resolve, reject) => {
        if (isLost) reject(lostError());
        waiting.add(reject);
        work.then(
          (result) => {
            waiting.delete(reject);
            resolve(result);
          },
          (error: unknown) => {
            waiting.delete(reject);
            reject(error);
          },
        );
      }),
  };
}

/**
 * Returns the error for a lost connection. Its cause has the same code as the driver's error, so that both count as a broken
 * connection.
 */
export function lostError(): StoreError {
  return new StoreError("store_unreachable", "The connection to the database was lost. Try again.", {
    cause: { code: "CONNECTION_CLOSED" },
  });
}

/** Makes the client send every text unchanged, and read timestamps of any year, on each of its connections. */
function useOwnTypes(sql: Sql): void {
  const plain = (value: unknown): unknown => value;
  for (const type of ["1184", "1082", "1083", "1114", "1182", "1185", "1115", "1231", "114", "3802"]) {
    Object.assign(sql.options.serializers, { [type]: plain });
  }
  for (const type of ["1082", "1083", "1114", "1182", "1185", "1115", "1231"]) {
    Object.assign(sql.options.parsers, { [type]: plain });
  }
  Object.assign(sql.options.parsers, { [timestampType]: timeOf });
}

/** The id of the type "timestamp with time zone" in PostgreSQL's catalog. */
export const timestampType = 1184;

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
   * reused. If it was lost, idle connections are closed, too: the server may be gone, and the driver may not have noticed yet.
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
  /** Connections in use, each with the function that frees its place in the pool. */
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
  /** Returns the connection used last, which has cached statements. Closes lost ones and those that were idle for too long. */
  take(): Connection | undefined;
  endAll(graceSeconds: number): void;
}

/** Seconds that a server has to close its side of a connection that was idle for too long. */
const idleGraceSeconds = 5;

function createIdleConnections(
  end: EndConnection,
  { idleMs = Infinity, clock = systemClock }: Pick<PoolOptions, "idleMs" | "clock">,
): IdleConnections {
  /** Idle connections with the time of their return, in milliseconds since 1970; the longest idle one first. */
  const idle: { readonly connection: Connection; readonly since: number }[] = [];
  let emptied = new AbortController();
  let isExpiring = false;

  /** Closes connections that are idle for too long, and repeats this until none is idle. */
  async function expire(): Promise<void> {
    if (isExpiring) return;
    isExpiring = true;
    for (let first = idle[0]; first !== undefined; first = idle[0]) {
      const leftMs = first.since + idleMs - clock.now().getTime();
      if (leftMs > 0) await clock.sleep(leftMs, emptied.signal, { background: true }).catch(() => "all were ended");
      else end(idle.shift()!.connection, idleGraceSeconds);
    }
    isExpiring = false;
  }

  return {
    count: () => idle.length,
    add(connection) {
      idle.push({ connection, since: clock.now().getTime() });
      if (idleMs < Infinity) void expire();
    },
    take() {
      // The timer of `expire` stops while the machine sleeps. The server or a router may drop idle connections meanwhile.
      const oldest = clock.now().getTime() - idleMs;
      for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
        if (last.since > oldest && !last.connection.isLost()) return last.connection;
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
