// Runs one transaction on one connection: begins it, sends its statements, ends it and returns the connection. If the
// connection is lost, reports the stage that the transaction had reached.
// Invariant: the role and user are sent before its statements; a connection returned as clean is in no transaction, and no
// statement is sent on it after its transaction is over. A loss counts as "committing" whenever the commit may have reached the
// database, and as any other stage only when the commit cannot have reached it.
import { setImmediate } from "node:timers/promises";
import { PgDialect } from "drizzle-orm/pg-core";
import { PostgresJsSession, PostgresJsTransaction } from "drizzle-orm/postgres-js";
import type { Sql } from "postgres";
import { StoreError } from "../../base/errors.ts";
import type { Connection, ConnectionPool, SendStatement } from "./connection-pool.ts";
import { isConnectionCut, isConnectionLost, rolledBackError, sqlStateOf } from "./database-error.ts";
import { sentParameters, type SqlParameter } from "../stored-values.ts";

type Tables = PostgresJsTransaction<Record<string, never>, Record<string, never>>;

export interface Transaction {
  /** Drizzle's interface, for statements that it can express. */
  readonly tables: Tables;
  /** Runs a hand-written statement. Columns are parsed by the driver; timestamps are Dates, except within JSON. */
  run<Row>(statement: string, parameters: readonly SqlParameter[]): Promise<readonly Row[]>;
  /**
   * Runs the last statement, and sends the commit in the same packet, which saves a round trip. Nothing can be sent
   * afterwards, and nothing that the work does with the rows can roll the statement back. Only for work that may be
   * retried after it was committed: if the connection is lost, the transaction may be committed or not.
   */
  runLast<Row>(statement: string, parameters: readonly SqlParameter[]): Promise<readonly Row[]>;
}

const dialect = new PgDialect();

export interface TransactionPlan<Result> {
  /** The queue in which the transaction waits for a connection. */
  readonly queue: string;
  /** SQL without parameters that sets the role and the settings of this transaction. */
  readonly setting: string;
  readonly work: (tx: Transaction) => Promise<Result>;
  /** Called when the connection was lost, with the stage of the transaction. */
  readonly onLost: (stage: LossStage) => void;
}

/**
 * Returns the result of the work. Commits if the work resolves and none of its statements failed. Otherwise rolls back, and
 * throws the work's error or that of the first failed statement; on a lost connection it throws at once.
 */
export async function runTransaction<Result>(
  connections: ConnectionPool,
  plan: TransactionPlan<Result>,
): Promise<Result> {
  return runOn(await connections.take(plan.queue), connections, plan);
}

async function runOn<Result>(
  connection: Connection,
  connections: ConnectionPool,
  { setting, work, onLost }: TransactionPlan<Result>,
): Promise<Result> {
  const statements = createStatements(connection);
  let isOver = false;
  try {
    // Not awaited: the begin is sent in one packet with the first statement. If it fails, the database refuses that statement
    // too.
    statements.begin(setting);
    const result = await connection.orLost(asPromise(() => work(createTransaction(statements))));
    statements.requireNoFailure();
    const { command } = await statements.end("commit");
    isOver = true;
    // After a failed statement that nobody awaited, the database answers a commit with ROLLBACK, without an error.
    if (command === "ROLLBACK") {
      statements.requireNoFailure();
      throw rolledBackError();
    }
    return result;
  } catch (error) {
    if (isConnectionLost(error)) onLost(statements.stage());
    isOver ||= await statements.end("rollback").then(
      () => true,
      () => false,
    );
    throw statements.causeOf(error);
  } finally {
    connections.release(connection, isOver ? "clean" : "spoiled");
  }
}

async function asPromise<Result>(work: () => Promise<Result>): Promise<Result> {
  return work();
}

/**
 * The stage of a transaction: `beginning`: its begin was not answered; `between`: every statement was answered;
 * `asking`: a statement was not answered; `committing`: the commit was not answered. If the connection is lost, the
 * database rolls the transaction back in the first three stages; in the last stage, it may have committed the transaction.
 */
export type LossStage = "beginning" | "between" | "asking" | "committing";

interface Statements {
  /** Sends the begin without waiting for its answer, in one packet with the first statement. */
  begin(setting: string): void;
  readonly send: SendStatement;
  /** Sends a statement and, without waiting for its answer, the commit. */
  readonly sendWithCommit: SendStatement;
  /**
   * Ends the transaction; nothing can be sent afterwards. Resolves with the answer of the commit, also if the
   * commit was sent before; after a failed statement the answer is ROLLBACK.
   */
  end(statement: "commit" | "rollback"): Promise<{ readonly command: string }>;
  /** Throws the error of the first failed statement, if any. */
  requireNoFailure(): void;
  /** Returns the failure that made the database refuse all later statements, or `error` if no earlier statement failed. */
  causeOf(error: unknown): unknown;
  stage(): LossStage;
}

// Milliseconds without an answer after which pending input is read before a commit; far below the database's limit for clients
// that are silent inside a transaction.
const silenceMs = 100;

interface Progress {
  track(query: ReturnType<SendStatement>): ReturnType<SendStatement>;
  /** Errors of statements, in the order in which they were answered. */
  readonly failures: readonly unknown[];
  hasBegun: boolean;
  isEnding: boolean;
  isCommitting: boolean;
  /** Returns the milliseconds since the last answer. */
  silence(): number;
  stage(): LossStage;
}

function createProgress(): Progress {
  const failures: unknown[] = [];
  let unanswered = 0;
  let answeredAt = performance.now();
  const progress: Progress = {
    failures,
    hasBegun: false,
    isEnding: false,
    isCommitting: false,
    track(query) {
      unanswered += 1;
      query.then(
        () => {
          unanswered -= 1;
          answeredAt = performance.now();
        },
        (error: unknown) => {
          failures.push(error);
          // A statement on a lost connection counts as unanswered, unless it certainly did not reach the database.
          if (!isConnectionLost(error) || isConnectionCut(error)) unanswered -= 1;
          if (isConnectionCut(error)) progress.isCommitting = false;
        },
      );
      return query;
    },
    silence: () => performance.now() - answeredAt,
    stage() {
      if (progress.isCommitting) return "committing";
      if (!progress.hasBegun) return "beginning";
      return unanswered > 0 ? "asking" : "between";
    },
  };
  return progress;
}

/** Returns the functions that send and track the statements of one transaction on this connection. */
function createStatements(connection: Connection): Statements {
  const progress = createProgress();
  let sentCommit: Promise<{ readonly command: string }> | null = null;

  const send: SendStatement = (...statement) => {
    // After the end, nothing may be sent: another transaction uses the connection, or it is idle and has the owner's role.
    if (progress.isEnding) {
      throw new StoreError("store_failed", "A statement was sent after its transaction ended: await each statement.");
    }
    return progress.track(connection.send(...statement));
  };
  const sendEnd = async (statement: "commit" | "rollback"): Promise<{ readonly command: string }> => {
    progress.isEnding = true;
    // Throws without sending the statement if the connection is lost.
    const query = connection.send(statement);
    progress.isCommitting = statement === "commit";
    // The driver does not settle statements that are sent between a socket's error and its end, so `orLost` rejects them.
    return connection.orLost(progress.track(query));
  };

  return {
    begin(setting) {
      send(`begin; ${setting}`).then(
        () => (progress.hasBegun = true),
        () => undefined,
      );
    },
    send,
    sendWithCommit(...statement) {
      const query = send(...statement);
      sentCommit = sendEnd("commit");
      // The failure of the commit is reported by `end`.
      sentCommit.catch(() => undefined);
      return query;
    },
    async end(statement) {
      if (sentCommit !== null) return sentCommit;
      progress.isEnding = true;
      // If this process was suspended, the server may have disconnected it. Reading pending input first shows this, and avoids
      // a commit with an unknown outcome.
      if (statement === "commit" && progress.silence() > silenceMs) await readPendingInput();
      return sendEnd(statement);
    },
    requireNoFailure() {
      if (progress.failures.length > 0) throw progress.failures[0];
    },
    causeOf: (error) => (sqlStateOf(error) === "25P02" ? (progress.failures[0] ?? error) : error),
    stage: progress.stage,
  };
}

/** Waits two iterations of the event loop: the first may end before sockets are read. */
async function readPendingInput(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

function createTransaction({ send, sendWithCommit }: Statements): Transaction {
  const runBy = async <Row>(by: SendStatement, statement: string, parameters: readonly SqlParameter[]) =>
    (await by(statement, sentParameters(statement, parameters), { prepare: true })) as unknown as readonly Row[];
  let tables: Tables | null = null;
  return {
    get tables() {
      tables ??= tablesOf(send);
      return tables;
    },
    run: (statement, parameters) => runBy(send, statement, parameters),
    runLast: (statement, parameters) => runBy(sendWithCommit, statement, parameters),
  };
}

function tablesOf(send: SendStatement): Tables {
  // The subset of a driver client that drizzle's session uses.
  const unsafe: SendStatement = (statement, parameters = [], options = {}) =>
    send(statement, sentParameters(statement, parameters as SqlParameter[]), options);
  const session = new PostgresJsSession<Sql, Record<string, never>, Record<string, never>>(
    { unsafe } as unknown as Sql,
    dialect,
    undefined,
  );
  return new PostgresJsTransaction(
    dialect,
    session as unknown as ConstructorParameters<typeof PostgresJsTransaction>[1],
    undefined,
  ) as Tables;
}
