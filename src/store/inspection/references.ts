// Lists which columns of which tables refer to other tables. Reads the database's catalog, so that new tables are
// included. Finds orphaned rows: those that name a user, an agent, a conversation or another parent that does not
// exist.
// Invariant: covers all foreign keys, and other columns whose name shows what they refer to, such as `user_id`.
import type { Transaction } from "../connection/transaction.ts";
import type { Orphans } from "../port/inspection.ts";

/** The columns of a reference, and the columns of the table that they refer to. */
export interface Reference {
  readonly table: string;
  readonly columns: readonly string[];
  readonly target: string;
  readonly targetColumns: readonly string[];
  /** SQL condition on the row `r`: only rows for which it is true refer to a target. Default: all rows. */
  readonly condition?: string;
}

/** What a column of this name refers to, in any table. `perUser`: the row and its target belong to the same user. */
const named: Readonly<Record<string, { readonly target: string; readonly key: string; readonly perUser: boolean }>> = {
  user_id: { target: "users", key: "user_id", perUser: false },
  owner_id: { target: "users", key: "user_id", perUser: false },
  editor_id: { target: "users", key: "user_id", perUser: false },
  module_id: { target: "modules", key: "id", perUser: false },
  agent_id: { target: "grants", key: "agent_id", perUser: true },
  conversation_id: { target: "conversations", key: "id", perUser: true },
  message_id: { target: "messages", key: "id", perUser: true },
  result_message_id: { target: "messages", key: "id", perUser: true },
  parent_id: { target: "messages", key: "id", perUser: true },
  leaf_id: { target: "messages", key: "id", perUser: true },
  through_id: { target: "messages", key: "id", perUser: true },
  tool_id: { target: "stored_tools", key: "id", perUser: true },
  source_id: { target: "sources", key: "id", perUser: true },
  file_id: { target: "source_files", key: "id", perUser: true },
  replaced_by: { target: "passages", key: "id", perUser: true },
  passage_id: { target: "passages", key: "id", perUser: true },
};

interface ColumnRow {
  readonly table: string;
  readonly column: string;
}

interface KeyRow {
  readonly table: string;
  readonly target: string;
  readonly columns: string;
  readonly target_columns: string;
}

/** Tables whose rows may name rows that are already deleted. Their columns are not checked by name. */
const unbound: readonly string[] = ["object_deletions"];

/**
 * References that neither a foreign key nor a column's name shows: an agent must have its owner's grant, and a usable
 * grant must have its agent.
 */
const furtherReferences: readonly Reference[] = [
  { table: "agents", columns: ["user_id", "id"], target: "grants", targetColumns: ["user_id", "agent_id"] },
  {
    table: "grants",
    columns: ["owner_id", "agent_id"],
    target: "agents",
    targetColumns: ["user_id", "id"],
    condition: "r.is_usable",
  },
];

// Leaves out partitions, whose rows and keys belong to the partitioned table.
const columnsOfTables = `
select c.table_name as table, c.column_name as column
from information_schema.columns c
join information_schema.tables t using (table_schema, table_name)
where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'
  and not exists (
    select from pg_class p
    where p.relnamespace = current_schema()::regnamespace and p.relname = c.table_name and p.relispartition
  )
order by 1, c.ordinal_position`;

// Returns column names as JSON, because the driver does not parse PostgreSQL's array types.
const declaredKeys = `
select k.conrelid::regclass::text as table, k.confrelid::regclass::text as target,
  (select jsonb_agg(a.attname order by n) from unnest(k.conkey) with ordinality u (number, n)
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.number)::text as columns,
  (select jsonb_agg(a.attname order by n) from unnest(k.confkey) with ordinality u (number, n)
    join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.number)::text as target_columns
from pg_constraint k
where k.contype = 'f' and k.conparentid = 0 and k.connamespace = current_schema()::regnamespace
order by 1, 2`;

export async function readReferences(tx: Transaction): Promise<readonly Reference[]> {
  const columns = await tx.run<ColumnRow>(columnsOfTables, []);
  const keys = await tx.run<KeyRow>(declaredKeys, []);
  const found = new Map<string, Reference>();
  const declaredReferences = keys.map(declared);
  // A foreign key on a column, or on the column and `owner_id`, decides what the column refers to; its name is ignored.
  const isDeclared = ({ table, column }: ColumnRow): boolean =>
    declaredReferences.some(
      (one) =>
        one.table === table &&
        (one.columns.join() === column || one.columns.toSorted().join() === `${column},owner_id`),
    );
  const others = columns.filter((one) => !isDeclared(one)).flatMap((one) => namedAfter(one));
  const there = furtherReferences.filter(({ table }) => columns.some((column) => column.table === table));
  for (const reference of [...declaredReferences, ...others, ...there]) {
    const id = `${reference.table} ${reference.columns.toSorted().join()} ${reference.target}`;
    if (!found.has(id)) found.set(id, reference);
  }
  return [...found.values()];
}

function declared({ table, target, columns, target_columns }: KeyRow): Reference {
  return {
    table,
    target,
    columns: JSON.parse(columns) as string[],
    targetColumns: JSON.parse(target_columns) as string[],
  };
}

function namedAfter({ table, column }: ColumnRow): readonly Reference[] {
  const meaning = Object.hasOwn(named, column) ? named[column] : undefined;
  if (unbound.includes(table) || meaning === undefined || (meaning.target === table && meaning.key === column))
    return [];
  const { target, key, perUser } = meaning;
  const user = perUser ? ["user_id"] : [];
  return [{ table, columns: [...user, column], target, targetColumns: [...user, key] }];
}

interface CountRow {
  readonly number: number;
  readonly rows: number;
}

/**
 * Returns the number of orphans over all users, by reference; empty if there are none. Only the owner of the tables can count
 * them.
 */
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

/** Returns a quoted name. `regclass` may have quoted it already. */
function quoted(name: string): string {
  return name.startsWith('"') ? name : `"${name}"`;
}
