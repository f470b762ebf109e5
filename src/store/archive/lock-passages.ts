// Checks that all passages that something was made from still exist, before the result is written.
// Invariant: they are locked until the transaction ends, so a concurrent deletion finds what was written.
import { lockPassages } from "../sql/synopses.ts";
import type { Transaction } from "../connection/transaction.ts";

export async function lockAllPassages(tx: Transaction, userId: string, ids: readonly string[]): Promise<boolean> {
  const [found] = await tx.run<{ readonly held: number }>(lockPassages, [userId, JSON.stringify(ids)]);
  return found!.held === ids.length;
}
