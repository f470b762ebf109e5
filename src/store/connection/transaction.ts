// One transaction on one connection: what may be asked of the database in it, how it is begun, settled and given back, and how far
// it came when the connection is lost.
// Invariant: its role and user go out before its statements; what is given back as clean is in no transaction, and no statement is
// sent on it after its transaction is over. A loss counts as "committing" whenever the commit may have reached the database, and as
// any other stage only when it cannot have.
import { setImmediate } from "node:timers/promises";
import { PgDialect } from "drizzle-orm/pg-core";
import { PostgresJsSession, PostgresJsTransaction } from "drizzle-orm/postgres-js";
import type { Sql } from "postgres";
import { StoreError } from "../../errors.ts";
import type { Connection, SendStatement } from "./connection.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { isConnectionCut, isConnectionLost, rolledBackError, sqlStateOf } from "./database-error.ts";

export type SqlParameter = string | number | boolean | null;

type Tables = PostgresJsTransaction<Record<string, never>, Record<string, never>>;

export interface Transaction {
  /** Drizzle, for statements that it can say. */
  readonly tables: Tables;
  /** Runs a hand-made statement. Columns come as the driver parses them, moments as text. */
  run<Row>(statement: string, parameters: readonly SqlParameter[]): Promise<readonly Row[]>;
}

const dialect = new PgDialect();

export interface TransactionPlan<Result> {
  /** SQL that sets what holds for this transaction, without parameters. */
  readonly setting: string;
  readonly work: (tx: Transaction) => Promise<Result>;
  /** Called when the connection was lost: how far the transaction had come. */
  readonly onLost: (stage: LossStage) => void;
}

/**
 * Commits when the work resolves and none of its statements failed. Otherwise rolls back, and throws the work's error or
 * the first statement's; of a connection that was lost, at once.
 */
export async function runTransaction<Result>(
  connections: ConnectionPool,
  plan: TransactionPlan<Result>,
): Promise<Result> {
  return runOn(await connections.take(), connections, plan);
}

async function runOn<Result>(
  connection: Connection,
  connections: ConnectionPool,
  { setting, work, onLost }: TransactionPlan<Result>,
): Promise<Result> {
  const statements = createStatements(connection);
  let isOver = false;
  try {
    // Not awaited: it goes out in one packet with the first statement. Where it fails, the database refuses that one too.
    statements.begin(setting);
    const result = await Promise.race([connection.lost, asPromise(() => work(createTransaction(statements.send)))]);
    statements.requireNoFailure();
    const { command } = await statements.sendLast("commit");
    isOver = true;
    // What the database does, without an error, when a statement that nobody waited for has failed.
    if (command === "ROLLBACK") {
      statements.requireNoFailure();
      throw rolledBackError();
    }
    return result;
  } catch (error) {
    if (isConnectionLost(error)) onLost(statements.stage());
    isOver ||= await statements.sendLast("rollback").then(
      () => true,
      () => false,
    );
    throw statements.causeOf(error);
  } finally {
    connections.giveBack(connection, isOver ? "clean" : "spoiled");
  }
}

async function asPromise<Result>(work: () => Promise<Result>): Promise<Result> {
  return work();
}

/**
 * How far a transaction had come: `begin` was not answered; every statement was answered; a statement was not; the commit was
 * not. The database has rolled it back at every stage but the last, where it may have committed.
 */
export type LossStage = "beginning" | "between" | "asking" | "committing";

interface Statements {
  /** Sends the beginning without waiting for it: it goes out in one packet with the first statement. */
  begin(setting: string): void;
  readonly send: SendStatement;
  /** Sends what ends the transaction; nothing can be sent any more. */
  sendLast(statement: "commit" | "rollback"): Promise<{ readonly command: string }>;
  /** Throws the failure of the first statement that failed. */
  requireNoFailure(): void;
  /** The failure that made the database refuse everything after it, or else the error itself. */
  causeOf(error: unknown): unknown;
  /** How far it has come. */
  stage(): LossStage;
}

// Well below the time after which a database ends a connection that is silent inside a transaction.
const silenceMs = 100;

/** For one transaction on this channel. */
function createStatements(connection: Connection): Statements {
  const failures: unknown[] = [];
  const progress = { hasBegun: false, unanswered: 0, isEnding: false, isCommitting: false };
  let answeredAt = performance.now();

  const track = (query: ReturnType<SendStatement>): ReturnType<SendStatement> => {
    progress.unanswered += 1;
    query.then(
      () => {
        progress.unanswered -= 1;
        answeredAt = performance.now();
      },
      (error: unknown) => {
        failures.push(error);
        // One that a lost connection took along stays without its answer, unless it never left this process.
        if (!isConnectionLost(error) || isConnectionCut(error)) progress.unanswered -= 1;
        if (isConnectionCut(error)) progress.isCommitting = false;
      },
    );
    return query;
  };
  const send: SendStatement = (...statement) => {
    // The connection may be another transaction's by now, or nobody's: then it is the owner's.
    if (progress.isEnding) {
      throw new StoreError("store_failed", "A statement was sent after its transaction: wait for each.");
    }
    return track(connection.send(...statement));
  };

  return {
    begin(setting) {
      send(`begin; ${setting}`).then(
        () => (progress.hasBegun = true),
        () => undefined,
      );
    },
    send,
    async sendLast(statement) {
      progress.isEnding = true;
      // A process that stood still may have been cut off meanwhile: that is read before a commit whose end nobody would know.
      if (statement === "commit" && performance.now() - answeredAt > silenceMs) await readWhatCame();
      // Throws when the connection is gone: then nothing was sent.
      const query = connection.send(statement);
      progress.isCommitting = statement === "commit";
      // The driver leaves what is sent between the error of a socket and its end without an answer.
      return Promise.race([connection.lost, track(query)]);
    },
    requireNoFailure() {
      if (failures.length > 0) throw failures[0];
    },
    causeOf: (error) => (sqlStateOf(error) === "25P02" ? (failures[0] ?? error) : error),
    stage() {
      if (progress.isCommitting) return "committing";
      if (!progress.hasBegun) return "beginning";
      return progress.unanswered > 0 ? "asking" : "between";
    },
  };
}

/** Two turns of the event loop, of which the first may be over before sockets are read. */
async function readWhatCame(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

function createTransaction(send: SendStatement): Transaction {
  let tables: Tables | null = null;
  return {
    get tables() {
      tables ??= tablesOf(send);
      return tables;
    },
    async run<Row>(statement: string, parameters: readonly SqlParameter[]) {
      return (await send(statement, [...parameters], { prepare: true })) as unknown as readonly Row[];
    },
  };
}

function tablesOf(send: SendStatement): Tables {
  // All that drizzle's session asks of a client.
  const session = new PostgresJsSession<Sql, Record<string, never>, Record<string, never>>(
    { unsafe: send } as unknown as Sql,
    dialect,
    undefined,
  );
  return new PostgresJsTransaction(
    dialect,
    session as unknown as ConstructorParameters<typeof PostgresJsTransaction>[1],
    undefined,
  ) as Tables;
}
