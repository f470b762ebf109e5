// The caller's pool of connections, as the store uses its own.
// Invariant: the caller's pool is never closed, and every connection that was borrowed from it is returned.
import type { PgPool } from "../port/pg-pool.ts";
import { type Connection, lostError } from "./connection.ts";
import { within } from "../../base/clock.ts";
import { type ConnectionPool, defaultSize } from "./connection-pool.ts";
import { type BorrowedConnection, borrowConnection } from "./pg-connection.ts";

/** Without prepared statements, all statements are sent unnamed. */
export function createCallersPool(pool: PgPool, hasPreparedStatements = true): ConnectionPool {
  const taken = new Map<Connection, BorrowedConnection>();
  let isClosed = false;
  let reportReturned: () => void = () => undefined;

  async function allReturned(): Promise<void> {
    if (taken.size > 0) await new Promise<void>((resolve) => (reportReturned = resolve));
  }

  return {
    counts: () => ({
      max: pool.options?.max ?? defaultSize,
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    async take() {
      if (isClosed) throw lostError();
      const connection = await borrowConnection(pool, hasPreparedStatements);
      taken.set(connection, connection);
      if (!isClosed) return connection;
      connection.giveBack();
      throw lostError();
    },
    release(connection, condition) {
      const borrowed = taken.get(connection);
      taken.delete(connection);
      if (condition === "spoiled") void borrowed?.close(0);
      else borrowed?.giveBack();
      if (taken.size === 0) reportReturned();
    },
    async close(graceSeconds) {
      await within(allReturned(), graceSeconds * 1000);
      isClosed = true;
      for (const connection of taken.values()) await connection.close(0);
    },
  };
}
