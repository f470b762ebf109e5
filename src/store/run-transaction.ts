// One transaction on one connection: begun, settled and given back.
// Invariant: what is given back as clean is in no transaction, and no statement is sent on it after its transaction is over.
import { StoreError } from "../errors.ts";
import type { Channel } from "./channel.ts";
import type { ChannelPool } from "./channel-pool.ts";
import { sqlStateOf } from "./database-error.ts";
import { createTransaction, type SendStatement, type Transaction } from "./transaction.ts";

export interface TransactionPlan<Result> {
  /** SQL that sets what holds for this transaction, without parameters. */
  readonly setting: string;
  readonly work: (tx: Transaction) => Promise<Result>;
  /** Called when the database has answered that the transaction has begun. */
  readonly onBegun: () => void;
}

/**
 * Commits when the work resolves and none of its statements failed. Otherwise rolls back, and throws the work's error or
 * the first statement's; of a connection that was lost, at once.
 */
export async function runTransaction<Result>(
  channels: ChannelPool,
  { setting, work, onBegun }: TransactionPlan<Result>,
): Promise<Result> {
  const channel = await channels.take();
  const statements = createStatements(channel);
  let isOver = false;
  try {
    // Not awaited: it goes out in one packet with the first statement. Where it fails, the database refuses that one too.
    statements.send(`begin; ${setting}`).then(onBegun, () => undefined);
    const result = await Promise.race([channel.lost, asPromise(() => work(createTransaction(statements.send)))]);
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
    isOver ||= await statements.sendLast("rollback").then(
      () => true,
      () => false,
    );
    throw statements.causeOf(error);
  } finally {
    channels.giveBack(channel, isOver ? "clean" : "spoiled");
  }
}

interface Statements {
  readonly send: SendStatement;
  /** Sends what ends the transaction; nothing can be sent any more. */
  sendLast(statement: "commit" | "rollback"): Promise<{ readonly command: string }>;
  /** Throws the failure of the first statement that failed. */
  requireNoFailure(): void;
  /** The failure that made the database refuse everything after it, or else the error itself. */
  causeOf(error: unknown): unknown;
}

function createStatements(channel: Channel): Statements {
  const failures: unknown[] = [];
  let isEnding = false;
  const send: SendStatement = (...statement) => {
    // The connection may be another transaction's by now, or nobody's: then it is the owner's.
    if (isEnding) throw new StoreError("store_failed", "A statement was sent after its transaction: wait for each.");
    const query = channel.send(...statement);
    query.catch((error: unknown) => failures.push(error));
    return query;
  };
  return {
    send,
    async sendLast(statement) {
      isEnding = true;
      // The driver leaves what is sent between the error of a socket and its end without an answer.
      return Promise.race([channel.lost, channel.send(statement)]);
    },
    requireNoFailure() {
      if (failures.length > 0) throw failures[0];
    },
    causeOf: (error) => (sqlStateOf(error) === "25P02" ? (failures[0] ?? error) : error),
  };
}

function rolledBackError(): StoreError {
  return new StoreError("store_failed", "PostgreSQL rolled the transaction back instead of committing it. Try again.");
}

async function asPromise<Result>(work: () => Promise<Result>): Promise<Result> {
  return work();
}
