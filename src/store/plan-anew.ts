// Has the statements of a transaction planned anew, for those whose tables grow while they are asked again and again.
// Invariant: it holds until the end of the transaction and no longer.
import type { Transaction } from "./transaction.ts";

/**
 * A plan that was kept from when a table of vectors was empty reads all of it for each text: minutes with 20,000. Planning takes a
 * millisecond or two. On the embedded engine nothing else makes such a plan anew.
 */
export async function planAnew(tx: Transaction): Promise<void> {
  await tx.run("set local plan_cache_mode = force_custom_plan", []);
}
