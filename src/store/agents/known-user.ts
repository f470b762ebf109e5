// Users as rows: made on the first write that needs one to belong to.
import { users } from "../schema.ts";
import type { Transaction } from "../connection/transaction.ts";

/** Makes the user known. Cheap when that has happened, and safe when two do it at once. */
export async function ensureUser(tx: Transaction, userId: string): Promise<void> {
  await tx.tables.insert(users).values({ userId }).onConflictDoNothing();
}
