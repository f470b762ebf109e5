// Stores simple records, such as identities. Their table and their `RecordKind` determine all statements.
// Invariant: two records of a user never have the same value of a unique field, because an index refuses the second.
import { getTableColumns, getTableName } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { given } from "../base/given.ts";
import type { UserContext } from "./connection/database.ts";
import { duplicateRefusal } from "./connection/database-error.ts";
import { createOwnRows, type OwnTable, recordColumns } from "./own-rows.ts";
import { type Direction, inRange, rowsInRange } from "./pages.ts";
import type { ListRange } from "./port/page.ts";
import { recordKinds, type RecordStores } from "./port/record-kinds.ts";
import type { RecordKind, RecordStore } from "./port/record-store.ts";
import { recordTables } from "./schema/records.ts";
import { idsIn, type SqlParameter } from "./stored-values.ts";

type Filter = Readonly<Record<string, SqlParameter>>;
type AnyStore = RecordStore<OwnTable["$inferSelect"], ListRange & Filter>;

/** Returns the stores of all kinds of simple records. */
export function createRecordStores(context: UserContext): RecordStores {
  const stores = Object.entries(recordKinds).map(([name, kind]) => [
    name,
    createRecordStore(context, recordTables[name as keyof RecordStores], kind),
  ]);
  // The cast is sound: `recordTables` has for each store a table with the fields of its records.
  return Object.fromEntries(stores) as RecordStores;
}

function createRecordStore(context: UserContext, table: OwnTable, kind: RecordKind): AnyStore {
  const { userId, transaction, repeatable, statement } = context;
  const rows = createOwnRows(table, userId);
  const valueTaken = duplicateRefusal(kind.exists, takenText(kind));
  const count = `select count(*)::int as count from ${getTableName(table)} where user_id = $1`;
  return {
    create: (record) => transaction((tx) => rows.insert(tx, record)).catch(valueTaken),
    find: (id) => repeatable((tx) => rows.find(tx, id)),
    list: ({ order, after, before, limit, ...filter }) => {
      const filters = Object.entries(given(filter));
      return rowsInRange<OwnTable["$inferSelect"]>(statement, {
        range: { order, limit, ...given({ after, before }) },
        statement: (direction) =>
          listStatement(
            table,
            filters.map(([name]) => name),
            direction,
          ),
        parameters: [userId, ...filters.map(([, value]) => value)],
      });
    },
    count: async () => (await statement<{ readonly count: number }>(count, [userId]))[0]!.count,
    update: (id, change) => transaction((tx) => rows.update(tx, id, change)).catch(valueTaken),
    delete: (id) => transaction((tx) => rows.delete(tx, id)),
  };
}

function takenText({ one, unique }: RecordKind): string {
  const noun = one.replace(/^an? /u, "");
  return `The user already has ${one} with this ${unique.join(" or ")}. Use another ${unique.join(" and ")}, or change that ${noun}.`;
}

/** Statement for `rowsInRange`. Further parameters, from $5: the values of the filters. */
function listStatement(table: OwnTable, filters: readonly string[], direction: Direction): string {
  const name = getTableName(table);
  const columns: Readonly<Record<string, PgColumn>> = getTableColumns(table);
  const conditions = filters.map((field, index) => {
    const value = `$${index + 5}`;
    if (field === "ids") return `and t.id in (${idsIn(value)})`;
    const column = `t.${columns[field]!.name}`;
    return field === "name" ? `and position(lower(${value}) in lower(${column})) > 0` : `and ${column} = ${value}`;
  });
  const by = ["t.created_at", "t.id"];
  const of = (id: string) => `(select c.created_at, c.id from ${name} c where c.user_id = $1 and c.id = ${id})`;
  return `
select ${recordColumns(table, "t")}
from ${name} t
where t.user_id = $1
  ${conditions.join("\n  ")}
  ${inRange({ by, of, direction })}`;
}
