// Adapts a pool of the package `pg`, which the caller has made, to the interface of the store's own pool.
// Invariant: values are parsed as `postgres` parses them, whatever parsers the caller has set, and nothing is written to a
// lost connection. The caller's pool is never closed, and every connection that was borrowed from it is returned.
import { createHash } from "node:crypto";
import { ConfigError, StoreError } from "../../base/errors.ts";
import type { PgPool, PgPoolClient, PgStatement } from "../port/pg-pool.ts";
import { timeOf } from "../stored-values.ts";
import {
  type Connection,
  type ConnectionPool,
  createLoss,
  defaultSize,
  lostError,
  type SendStatement,
  timestampType,
} from "./connection-pool.ts";
import { sqlStateOf } from "./database-error.ts";
import { within } from "../../base/clock.ts";

/** Returns a pool that borrows connections from the caller's pool. Without prepared statements, all statements are unnamed. */
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

interface BorrowedConnection extends Connection {
  /** Returns the connection to its pool. Repeated calls have no effect. */
  giveBack(): void;
}

/**
 * Resolves to a connection of the pool. Rejects with ConfigError if `pool` is not a pool, StoreError if it gives no connection,
 * and the driver's error if the driver cannot connect.
 */
function borrowConnection(pool: PgPool, hasPreparedStatements: boolean): Promise<BorrowedConnection> {
  return new Promise((resolve, reject) => {
    // Uses the callback: until the driver's promise is awaited, an error of the connection would have no listener.
    pool.connect((error, client) => {
      if (error) reject(sqlStateOf(error) === null ? noConnectionError() : error);
      else if (typeof client?.release === "function") resolve(wrapClient(client, hasPreparedStatements));
      // Refuses a `Client` of pg: it has a `connect`, too, but its one connection cannot be shared.
      else
        reject(new ConfigError("Expected `pool` to be a Pool of the package pg, got an object without connections."));
    });
  });
}

function wrapClient(client: PgPoolClient, hasPreparedStatements: boolean): BorrowedConnection {
  let isBorrowed = true;
  let last: Promise<unknown> = Promise.resolve();
  const { isLost, lose, orLost } = createLoss();
  client.on("error", lose);
  client.on("end", lose);

  function giveBack(): void {
    if (!isBorrowed) return;
    isBorrowed = false;
    client.removeListener("end", lose);
    // `release` comes first: it adds the pool's listener for errors, so that every error has a listener.
    client.release(isLost());
    client.removeListener("error", lose);
  }

  /** Sends each statement after the previous one was answered, because from version 9 `pg` no longer queues them. */
  function inOrder(statement: () => PgStatement): Promise<unknown> {
    const answer = last.then(() => query(statement()));
    last = answer.catch(() => "reported to its sender");
    return answer;
  }

  async function query(statement: PgStatement): Promise<unknown> {
    if (isLost()) throw lostError();
    try {
      return await client.query(statement);
    } catch (error) {
      if (sqlStateOf(error) === null) lose();
      throw isLost() ? lostError() : withDriverNames(error);
    }
  }

  return {
    send(text, parameters = [], { prepare = false } = {}) {
      if (isLost()) throw lostError();
      const statement = { text, values: [...parameters], types: plainTypes };
      const named = prepare && hasPreparedStatements ? { ...statement, name: statementName(text) } : statement;
      const rows: { rowMode?: "array" } = {};
      const answer = inOrder(() => ({ ...named, ...rows })).then(answerOf);
      const values = (): typeof answer => {
        // Sets the mode before the statement is sent, because `inOrder` sends it in a later microtask.
        rows.rowMode = "array";
        return answer;
      };
      return Object.assign(answer, { values }) as unknown as ReturnType<SendStatement>;
    },
    isLost,
    orLost,
    giveBack,
    async close() {
      lose();
      giveBack();
    },
  };
}

/** Returns the error for a pool without a connection. Omits the driver's message, which may contain anything. */
function noConnectionError(): StoreError {
  return new StoreError(
    "store_unreachable",
    "The pool gave no connection: it was ended, or all its connections were in use for longer than connectionTimeoutMillis. " +
      "Raise the pool's `max`, or end the pool only after the host is closed.",
  );
}

/** The rows of a statement in the form that `postgres` returns: an array with the property `command`. */
type Answer = Awaited<ReturnType<SendStatement>>;

interface PgResult {
  readonly rows: readonly unknown[];
  readonly command: string;
  readonly rowCount: number | null;
}

/**
 * Returns the rows of a result as an `Answer`. A text of several statements has several results, of which the last is returned.
 */
function answerOf(result: unknown): Answer {
  const { rows, command, rowCount } = (Array.isArray(result) ? result.at(-1) : result) as PgResult;
  return Object.defineProperties([...rows], {
    command: { value: command },
    count: { value: rowCount },
  }) as unknown as Answer;
}

/** Returns the error with its table, column and constraint under the names that the driver `postgres` uses. */
function withDriverNames(error: unknown): unknown {
  const { table, column, constraint } = error as Readonly<Record<string, unknown>>;
  return Object.assign(error as object, { table_name: table, column_name: column, constraint_name: constraint });
}

/**
 * Returns the name of a prepared statement: at most 63 bytes, as PostgreSQL allows. The same text has the same name on every
 * connection.
 */
function statementName(text: string): string {
  return `palimpsest_${createHash("sha1").update(text).digest("hex")}`;
}

const number = Number;
const json = (text: string): unknown => JSON.parse(text);
const bytes = (text: string): Buffer => Buffer.from(text.slice(2), "hex");

/** Parsers for the types that the driver `postgres` parses, by type id in PostgreSQL's catalog; all others are text. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === "t",
  17: bytes,
  21: number,
  23: number,
  26: number,
  114: json,
  700: number,
  701: number,
  [timestampType]: timeOf,
  3802: json,
};

const plainTypes = { getTypeParser: (typeId: number) => parsers[typeId] ?? ((text: string) => text) };
