// One connection to the database, for one transaction at a time, from its start to its end.
// Invariant: it never reconnects silently, and nothing is written to it after it is lost.
import type postgres from "postgres";
import type { Sql } from "postgres";
import { StoreError } from "../../base/errors.ts";
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

/** Resolves to a connection. Rejects with the driver's error if it cannot connect, with nothing left open. */
export async function openConnection(connect: ConnectDriver): Promise<Connection> {
  const { isLost, lose, orLost } = createLoss();
  const sql = connect({ max: 1, onclose: lose });
  useOwnTypes(sql);
  try {
    // Opens the connection first, because the driver (3.4.9) never resolves `reserve` on a connection that is not open.
    await sql.unsafe("select 1");
    requireOpen();
    // The connection stays reserved until it is closed. Without a reservation, the driver would reconnect within a transaction,
    // as the owner.
    const reserved = await sql.reserve();
    return {
      send(...statement) {
        // Only microtasks run between this check and the driver's write. Writing to a closed socket would end the
        // process.
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

/** Records whether a connection is lost, and then rejects the promises that wait for its answers. */
export interface Loss extends Pick<Connection, "isLost" | "orLost"> {
  lose(): void;
}

/**
 * Creates the loss of an open connection. It does not use `Promise.race` with a promise of the loss, which would keep
 * the result of every transaction in memory as long as the connection lives.
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

/** The id of "timestamp with time zone" in PostgreSQL's catalog. */
export const timestampType = 1184;
