// Looks for tables of vectors that are past the size up to which comparing every one is the better way, and have no index.
// Invariant: the statistics are not asked: the embedded engine never renews them by itself. Counting ends where it is decided.
import type { VectorTable } from "../../memory/upkeep.ts";
import type { Transaction } from "../connection/transaction.ts";
import { minIndexedVectors, listVectorTables, stateOf, type VectorTableRow } from "../upkeep/vector-index.ts";

/** As the owner, who sees every user's rows. `vectors` is counted as far as an index pays. */
export async function findWithoutIndex(tx: Transaction): Promise<readonly VectorTable[]> {
  const found: VectorTable[] = [];
  for (const row of await tx.run<VectorTableRow>(listVectorTables, [])) {
    const index = stateOf(row);
    if (index === "ready" || index === "too-wide") continue;
    const vectors = await countSome(tx, row.table);
    const { table, dimensions } = row;
    if (index === "broken" || vectors >= minIndexedVectors) found.push({ table, dimensions, vectors, index });
  }
  return found;
}

async function countSome(tx: Transaction, table: string): Promise<number> {
  const [row] = await tx.run<{ readonly vectors: number }>(
    `select count(*)::int as vectors from (select from "${table}" limit $1::int) counted`,
    [minIndexedVectors],
  );
  return row!.vectors;
}
