// Finds orphaned rows: those that name a user, an agent, a conversation or another parent that does not exist.
// Invariant: one statement, so one snapshot; a null reference names nothing.
import type { Orphans } from "../port/inspection.ts";
import type { Transaction } from "../connection/transaction.ts";
import { readReferences, type Reference } from "./references.ts";

interface CountRow {
  readonly number: number;
  readonly rows: number;
}

/** Counts orphans over all users, which only the owner of the tables can. Empty if there are none. */
export async function findOrphans(tx: Transaction): Promise<readonly Orphans[]> {
  const references = await readReferences(tx);
  if (references.length === 0) return [];
  const rows = await tx.run<CountRow>(references.map(countOf).join("\nunion all\n"), []);
  return rows
    .filter((row) => row.rows > 0)
    .map((row) => {
      const { table, columns, target } = references[row.number]!;
      const naming = columns.length === 1 ? columns : columns.filter((column) => column !== "user_id");
      return { table, columns: naming.join(", "), missing: target, rows: row.rows };
    });
}

function countOf({ table, columns, target, targetColumns, condition = "true" }: Reference, number: number): string {
  const present = columns.map((column) => `r.${quoted(column)} is not null`).join(" and ");
  const same = columns.map((column, index) => `t.${quoted(targetColumns[index]!)} = r.${quoted(column)}`).join(" and ");
  return `select ${number} as number, count(*)::int as rows from ${quoted(table)} r
where ${condition} and ${present} and not exists (select from ${quoted(target)} t where ${same})`;
}

/** A quoted name from the catalog; `regclass` has already quoted names that need it. */
function quoted(name: string): string {
  return name.startsWith('"') ? name : `"${name}"`;
}
