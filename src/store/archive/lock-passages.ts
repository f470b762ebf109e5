// Checks that all passages that something was made from still exist, before the result is written.
// Invariant: they are locked until the transaction ends, so a concurrent deletion finds what was written.
import { holdPassages } from "../sql/synopses.ts";
import type { Transaction } from "../connection/transaction.ts";

export async function arePassagesHeld(tx: Transaction, userId: string, ids: readonly string[]): Promise<boolean> {
  const [found] = await tx.run<{ readonly held: number }>(holdPassages, [userId, JSON.stringify(ids)]);
  return found!.held === ids.length;
}
