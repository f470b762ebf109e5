// One connection to the database, from its start to its end, for one transaction at a time.
// Invariant: it is never connected anew under whoever uses it, and nothing is written to it once it is gone.
import type postgres from "postgres";
import type { Sql } from "postgres";
import { StoreError } from "../../errors.ts";

/** Connects by a client of the driver's that has one connection at most. `onclose` is to be called when that one is gone. */
export type ConnectDriver = (options: { readonly max: 1; readonly onclose: () => void }) => postgres.Sql;

/** As the driver's `unsafe`: how a statement is sent in a transaction. */
export type SendStatement = (...statement: Parameters<Sql["unsafe"]>) => ReturnType<Sql["unsafe"]>;

export interface Connection {
  /** Throws when the connection is gone. */
  readonly send: SendStatement;
  /** Whether the connection is gone. */
  isLost(): boolean;
  /** Rejects as soon as the connection is gone, whatever is under way; never resolves. */
  readonly lost: Promise<never>;
  /** Ends the connection; what is under way on it fails. The server is told, and has so many seconds to take leave. */
  close(graceSeconds: number): Promise<void>;
}

/** Rejects with the driver's error when there is no connection to be had; then nothing is left open. */
export async function openConnection(connect: ConnectDriver): Promise<Connection> {
  let isLost = false;
  let reportLost: (reason: Error) => void;
  const lost = new Promise<never>((_, reject) => {
    reportLost = reject;
  });
  lost.catch(() => undefined);
  const lose = (): void => {
    isLost = true;
    reportLost(lostError());
  };
  const sql = connect({ max: 1, onclose: lose });
  usePlainText(sql);
  try {
    // The driver (3.4.9) never comes back from reserving a connection that has yet to be made.
    await sql.unsafe("select 1");
    requireThere();
    // Kept until the end. Through the pool, the driver would connect anew for the rest of a transaction, as the owner.
    const reserved = await sql.reserve();
    return {
      send(...statement) {
        // Between here and the driver's write are microtasks alone. A write to a socket that is gone would end the process.
        requireThere();
        return reserved.unsafe(...statement);
      },
      isLost: () => isLost,
      lost,
      async close(graceSeconds) {
        if (!isLost) reserved.release();
        lose();
        await sql.end({ timeout: graceSeconds });
      },
    };
  } catch (error) {
    await sql.end({ timeout: 0 });
    throw error;
  }

  function requireThere(): void {
    if (isLost) throw lostError();
  }
}

/** Its cause is as the driver's own, so that both count as a connection that broke. */
export function lostError(): StoreError {
  return new StoreError("store_unreachable", "The connection to the database was lost. Try again.", {
    cause: { code: "CONNECTION_CLOSED" },
  });
}

/** Makes moments and JSON pass through as text, as drizzle wants them, on every connection of the client. */
function usePlainText(sql: Sql): void {
  const plain = (value: unknown): unknown => value;
  for (const type of ["1184", "1082", "1083", "1114", "1182", "1185", "1115", "1231"]) {
    Object.assign(sql.options.parsers, { [type]: plain });
    Object.assign(sql.options.serializers, { [type]: plain });
  }
  Object.assign(sql.options.serializers, { 114: plain, 3802: plain });
}
