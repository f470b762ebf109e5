// Lists the tables of the database, as the schema defines them, with their columns. A backup, the check of the policies
// and the check that a database is empty use the list.
import { getTableColumns } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { allTables } from "../schema/all-tables.ts";

export interface StoredTable {
  readonly name: string;
  /** All columns except generated ones, quoted. */
  readonly columns: string;
}

/** Every table, each after the tables that its foreign keys reference. */
export const storedTables: readonly StoredTable[] = inOrderOfKeys(allTables).map((table) => ({
  name: getTableConfig(table).name,
  columns: Object.values(getTableColumns(table))
    .filter((column) => column.generated === undefined)
    .map((column) => `"${column.name}"`)
    .join(", "),
}));

function inOrderOfKeys(tables: readonly PgTable[]): readonly PgTable[] {
  const ordered = new Set<PgTable>();
  const add = (table: PgTable, dependents: readonly PgTable[]): void => {
    if (ordered.has(table)) return;
    const { name, foreignKeys } = getTableConfig(table);
    if (dependents.includes(table)) throw new RangeError(`The foreign keys of the table ${name} form a cycle.`);
    for (const key of foreignKeys) {
      const target = key.reference().foreignTable;
      if (target !== table) add(target, [...dependents, table]);
    }
    ordered.add(table);
  };
  for (const table of tables) add(table, []);
  return [...ordered];
}

const vectorColumns: Readonly<Record<string, string>> = {
  passages: '"user_id", "archive_id", "passage_id", "embedder", "embedding"',
  messages: '"user_id", "agent_id", "message_id", "embedder", "embedding"',
};

/** Returns a vector table by name, with the number of dimensions; undefined for any other name. */
export function vectorTable(name: string): (StoredTable & { readonly dimensions: number }) | undefined {
  const [, items, dimensions] = /^(passages|messages)_([1-9][0-9]{0,4})$/u.exec(name) ?? [];
  const columns = items === undefined ? undefined : vectorColumns[items];
  return columns === undefined ? undefined : { name, columns, dimensions: Number(dimensions) };
}

export const vectorTableNames =
  "select tablename as name from pg_tables where schemaname = current_schema() and tablename ~ '^(passages|messages)_[1-9][0-9]*$' order by 1";
