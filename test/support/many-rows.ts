// Tables that fill up within a transaction, and what the transaction reads of them.
// Invariant: what is read is counted by the database itself.
import type { Transaction } from "../../src/store/connection/transaction.ts";

interface Growth {
  readonly table: string;
  /** SQL that tells which row of the table they are like. Default: any. */
  readonly from?: string;
  /** SQL of the columns in which they differ. */
  readonly named: Readonly<Record<string, string>>;
  readonly rows: number;
}

/** So many rows like one that is there, `r`; `n` counts them. What is not named is as in that row. */
export async function multiplyRows(
  tx: Pick<Transaction, "run">,
  { table, from = "true", named, rows }: Growth,
): Promise<void> {
  const columns = await tx.run<{ readonly name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = current_schema() and table_name = $1 and is_generated = 'NEVER'`,
    [table],
  );
  const names = columns.map(({ name }) => name);
  const values = names.map((name) => named[name] ?? `r.${name}`);
  await tx.run(
    `insert into ${table} (${names.join(", ")})
     select ${values.join(", ")} from (select * from ${table} where ${from} limit 1) r, generate_series(1, ${rows}) n`,
    [],
  );
}

/** What the transaction has read of a table, or of its partitions, so far: rows by scanning it, and rows through its indexes. */
export async function rowsRead(tx: Transaction, table: string) {
  const [read] = await tx.run<{ readonly scanned: number; readonly fetched: number }>(
    `select coalesce(sum(seq_tup_read), 0)::int as scanned, coalesce(sum(idx_tup_fetch), 0)::int as fetched
     from pg_stat_xact_user_tables
     where relid = $1::regclass or relid in (select inhrelid from pg_inherits where inhparent = $1::regclass)`,
    [table],
  );
  return read!;
}
