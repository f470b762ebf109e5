// One transaction on one connection: begun, settled and given back.
// Invariant: what is given back as clean is in no transaction, and no statement is sent on it after its transaction is over.
import type { Connection } from "./connection.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { isConnectionLost, rolledBackError } from "./database-error.ts";
import { createStatements, type LossStage } from "./statements.ts";
import { createTransaction, type Transaction } from "./transaction.ts";

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
