// Rows of users, inserted before the first row that belongs to the user.
import { users } from "../schema.ts";
import type { Transaction } from "../connection/transaction.ts";

/** Inserts the user's row if it is missing. Cheap if it exists, and safe to run concurrently. */
export async function ensureUser(tx: Transaction, userId: string): Promise<void> {
  await tx.tables.insert(users).values({ userId }).onConflictDoNothing();
}
