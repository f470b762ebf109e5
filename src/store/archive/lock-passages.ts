// Whether all passages are there from which something was made, before that is written.
// Invariant: they stay until the transaction ends, so nothing is written that a deletion at the same time would not find.
import { holdPassages } from "../sql/synopses.ts";
import type { Transaction } from "../connection/transaction.ts";

export async function arePassagesHeld(tx: Transaction, userId: string, ids: readonly string[]): Promise<boolean> {
  const [found] = await tx.run<{ readonly held: number }>(holdPassages, [userId, JSON.stringify(ids)]);
  return found!.held === ids.length;
}
