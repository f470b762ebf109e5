// Forces custom plans in a transaction, for tables that grow while the same statements run repeatedly.
// Invariant: the setting ends with the transaction.
import type { SqlParameter } from "../stored-values.ts";
import type { Transaction } from "./transaction.ts";
import type { UserContext } from "./database.ts";

/**
 * Forces custom plans until the transaction ends. A plan that was cached while a vector table was empty scans the whole
 * table for each text, which takes minutes with 20,000 vectors. Planning takes a millisecond or two. On the embedded
 * engine nothing else replaces such a plan.
 */
export async function forceCustomPlans(tx: Transaction): Promise<void> {
  await tx.run("set local plan_cache_mode = force_custom_plan", []);
}

/** Runs one statement with a custom plan in its own transaction, which may be retried after it was committed. */
export function runWithCustomPlans<Row>(
  { repeatable }: Pick<UserContext, "repeatable">,
  statement: string,
  parameters: readonly SqlParameter[],
): Promise<readonly Row[]> {
  return repeatable(async (tx) => {
    await forceCustomPlans(tx);
    return tx.run<Row>(statement, parameters);
  });
}
