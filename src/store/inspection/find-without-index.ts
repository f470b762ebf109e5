// Finds vector tables without an index that are larger than an exact scan handles well.
// Invariant: statistics are not used: the embedded engine never updates them by itself. Counting stops at the
// threshold.
import type { VectorTable } from "../port/upkeep.ts";
import type { Transaction } from "../connection/transaction.ts";
import { minIndexedVectors, listVectorTables, stateOf, type VectorTableRow } from "../upkeep/vector-index.ts";

/** Run as the owner, who sees every user's rows. `vectors` is counted up to the threshold. */
export async function findWithoutIndex(tx: Transaction): Promise<readonly VectorTable[]> {
  const found: VectorTable[] = [];
  for (const row of await tx.run<VectorTableRow>(listVectorTables, [])) {
    const index = stateOf(row);
    if (index === "ready" || index === "too-wide") continue;
    const vectors = await countUpToLimit(tx, row.table);
    const { table, dimensions } = row;
    if (index === "broken" || vectors >= minIndexedVectors) found.push({ table, dimensions, vectors, index });
  }
  return found;
}

async function countUpToLimit(tx: Transaction, table: string): Promise<number> {
  const [row] = await tx.run<{ readonly vectors: number }>(
    `select count(*)::int as vectors from (select from "${table}" limit $1::int) counted`,
    [minIndexedVectors],
  );
  return row!.vectors;
}
