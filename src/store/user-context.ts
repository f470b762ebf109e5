// What every aggregate of one user's store is made from.
import type { Database } from "./database.ts";
import type { Transaction } from "./transaction.ts";

export interface UserContext {
  readonly userId: string;
  /** A transaction as this user. */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
}

export function createUserContext(database: Database, userId: string): UserContext {
  return { userId, transaction: (work) => database.transaction(userId, work) };
}
