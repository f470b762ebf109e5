// What every aggregate of one user's store is made from.
import type { Database } from "./database.ts";
import type { Transaction } from "./transaction.ts";

export interface UserContext {
  readonly userId: string;
  /** A transaction as this user. Its work is run again where the database cannot have committed it. */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  /**
   * One whose work may be run again after it was committed, because it only reads, or finds what it wrote and writes nothing:
   * a connection that is lost during its commit does not fail it either.
   */
  repeatable<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
}

export function createUserContext(database: Database, userId: string): UserContext {
  return {
    userId,
    transaction: (work) => database.transaction(userId, work),
    repeatable: (work) => database.transaction(userId, work, { isRepeatable: true }),
  };
}
