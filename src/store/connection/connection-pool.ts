// A pool of connections to one database.
// Invariant: a connection has one user at a time, there are never more than `size`, and a lost connection is not handed
// out.
import { type Connection, lostError } from "./connection.ts";

export interface ConnectionPool {
  /** Waits in a queue if all are in use. Rejects if no connection can be made, or if the pool is closed. */
  take(): Promise<Connection>;
  /**
   * Call once for each connection that was taken. A spoiled connection is closed and not reused. If it was lost, idle
   * connections are closed as well: the server may be gone, and their loss not yet known.
   */
  release(connection: Connection, condition: "clean" | "spoiled"): void;
  /** Closes all connections; those in use have `graceSeconds` to be returned. */
  close(graceSeconds: number): Promise<void>;
}

export function createConnectionPool(open: () => Promise<Connection>, size: number): ConnectionPool {
  const places = createPlaces(size);
  const idle: Connection[] = [];
  const taken = new Set<Connection>();
  const endings = new Set<Promise<void>>();
  let isClosed = false;

  const end = (connection: Connection, graceSeconds: number): void => {
    const ending = connection.close(graceSeconds).finally(() => endings.delete(ending));
    endings.add(ending);
  };

  /** Returns the most recently used connection, which has the statements cached; dead connections are dropped. */
  const takeIdle = (): Connection | undefined => {
    for (let connection = idle.pop(); connection !== undefined; connection = idle.pop()) {
      if (!connection.isLost()) return connection;
      end(connection, 0);
    }
    return undefined;
  };

  const openOne = async (): Promise<Connection> => {
    const connection = await open();
    if (!isClosed) return connection;
    await connection.close(0);
    throw lostError();
  };

  return {
    async take() {
      await places.take();
      try {
        if (isClosed) throw lostError();
        const connection = takeIdle() ?? (await openOne());
        taken.add(connection);
        return connection;
      } catch (error) {
        places.free();
        throw error;
      }
    },
    release(connection, condition) {
      taken.delete(connection);
      const isLost = connection.isLost();
      if (isClosed || condition === "spoiled") end(connection, 0);
      else idle.push(connection);
      if (isLost) for (const other of idle.splice(0)) end(other, 0);
      places.free();
    },
    async close(graceSeconds) {
      await within(places.allFree(), graceSeconds);
      isClosed = true;
      for (const connection of idle.splice(0)) end(connection, graceSeconds);
      for (const connection of taken) end(connection, 0);
      await Promise.all(endings);
    },
  };
}

interface Places {
  /** Waits until a connection is free, first come, first served. */
  take(): Promise<void>;
  free(): void;
  /** Resolves when no connection is in use. */
  allFree(): Promise<void>;
}

function createPlaces(size: number): Places {
  const waiting: (() => void)[] = [];
  const watching: (() => void)[] = [];
  let left = size;
  return {
    async take() {
      if (left === 0) return new Promise<void>((resolve) => waiting.push(resolve));
      left -= 1;
    },
    free() {
      const next = waiting.shift();
      if (next !== undefined) return next();
      left += 1;
      if (left === size) for (const report of watching.splice(0)) report();
    },
    async allFree() {
      if (left < size) return new Promise<void>((resolve) => watching.push(resolve));
    },
  };
}

async function within(promise: Promise<void>, seconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, seconds * 1000);
  });
  await Promise.race([promise, over]);
  clearTimeout(timer);
}
