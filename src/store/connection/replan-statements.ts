// Has the statements of a transaction planned anew, for those whose tables grow while they are asked again and again.
// Invariant: it holds until the end of the transaction and no longer.
import type { SqlParameter, Transaction } from "./transaction.ts";
import type { UserContext } from "./database.ts";

/**
 * A plan that was kept from when a table of vectors was empty reads all of it for each text: minutes with 20,000. Planning takes a
 * millisecond or two. On the embedded engine nothing else makes such a plan anew.
 */
export async function planAnew(tx: Transaction): Promise<void> {
  await tx.run("set local plan_cache_mode = force_custom_plan", []);
}

/** One such statement, in a transaction of its own, which may be run again after it was committed. */
export function runPlannedAnew<Row>(
  { repeatable }: Pick<UserContext, "repeatable">,
  statement: string,
  parameters: readonly SqlParameter[],
): Promise<readonly Row[]> {
  return repeatable(async (tx) => {
    await planAnew(tx);
    return tx.run<Row>(statement, parameters);
  });
}
