// Runs statements on one user's rows of a table whose columns are the fields of a record.
// Invariant: every statement filters by the user; an id that is not a UUID identifies no row.
import { and, asc, eq, getTableColumns, type SQL } from "drizzle-orm";
import type { PgColumn, PgInsertValue, PgTable, PgUpdateSetSource } from "drizzle-orm/pg-core";
import type { Transaction } from "./connection/transaction.ts";
import { users } from "./schema.ts";

/** A table of records that belong to a user. */
export type OwnTable = PgTable & Readonly<Record<"userId" | "id" | "createdAt", PgColumn>>;

export type OwnRow<Table extends OwnTable> = Omit<Table["$inferSelect"], "userId">;

/** Fields to change; undefined fields stay as they are. */
type Change<Row> = { readonly [Field in keyof Row]?: Row[Field] | undefined };

export interface OwnRows<Table extends OwnTable> {
  is(id: string): SQL | undefined;
  /** Inserts a row, and before it the user's row in `users` if that is missing. */
  insert(tx: Transaction, row: Omit<Table["$inferInsert"], "userId">): Promise<void>;
  /** Returns the row; null if the user has no such row. */
  find(tx: Transaction, id: string): Promise<OwnRow<Table> | null>;
  /** Returns the user's rows that meet the condition; by default all of them, oldest first. */
  list(tx: Transaction, condition?: SQL, order?: readonly SQL[]): Promise<readonly OwnRow<Table>[]>;
  /** Changes the fields that are defined, and returns the row. Returns null if the user has no such row. */
  update(tx: Transaction, id: string, change: Change<OwnRow<Table>>): Promise<OwnRow<Table> | null>;
  /** Deletes a row. Returns false if the user has no such row. */
  delete(tx: Transaction, id: string): Promise<boolean>;
}

export function createOwnRows<Table extends OwnTable>(table: Table, userId: string): OwnRows<Table> {
  // Typed as any table, because drizzle cannot infer its builders' types from the type parameter `Table`.
  const anyTable: PgTable = table;
  const { userId: _user, ...columns } = getTableColumns(anyTable) as Record<string, PgColumn>;
  const is = (id: string) => and(eq(table.userId, userId), eq(table.id, id));
  const rowOf = (rows: readonly unknown[]) => (rows[0] ?? null) as OwnRow<Table> | null;
  const find = async (tx: Transaction, id: string) =>
    rowOf(await tx.tables.select(columns).from(anyTable).where(is(id)));
  return {
    is,
    async insert(tx, row) {
      await ensureUser(tx, userId);
      await tx.tables.insert(anyTable).values({ ...row, userId } as PgInsertValue<PgTable>);
    },
    find,
    async list(tx, condition, order = [asc(table.createdAt), asc(table.id)]) {
      const rows = tx.tables
        .select(columns)
        .from(anyTable)
        .where(and(eq(table.userId, userId), condition));
      return (await rows.orderBy(...order)) as OwnRow<Table>[];
    },
    async update(tx, id, change) {
      // Without a field to change, only reads the row, because drizzle refuses an update without fields.
      if (Object.values(change).every((value) => value === undefined)) return find(tx, id);
      const set = change as PgUpdateSetSource<PgTable>;
      return rowOf(await tx.tables.update(anyTable).set(set).where(is(id)).returning(columns));
    },
    async delete(tx, id) {
      return (await tx.tables.delete(anyTable).where(is(id)).returning({ id: table.id })).length > 0;
    },
  };
}

/** Inserts the user's row if it is missing; cheap if it exists, and safe to run concurrently. */
export async function ensureUser(tx: Transaction, userId: string): Promise<void> {
  await tx.tables.insert(users).values({ userId }).onConflictDoNothing();
}

/** Locks the user's row until the transaction ends. A forgetting locks it, too, so no forgetting runs meanwhile. */
export async function lockUser(tx: Transaction, userId: string): Promise<void> {
  await tx.run("select 1 from users where user_id = $1 for no key update", [userId]);
}

/** Returns whether the user's number of applied forgettings has changed from `forgettings`, which was read earlier. */
export async function isForgottenSince(tx: Transaction, userId: string, forgettings: number): Promise<boolean> {
  const found = "select from forgettings where user_id = $1 and applied_at is not null having count(*) <> $2::int";
  return (await tx.run(found, [userId, forgettings])).length > 0;
}

/**
 * SQL: the columns of a row, except its user, under the field names of its record. Text columns that hold JSON are read as
 * JSON. `omitted`: fields to leave out, separated by spaces.
 */
export function recordColumns(table: PgTable, row: string, omitted = ""): string {
  const others = ["userId", ...omitted.split(" ")];
  return Object.entries(getTableColumns(table) as Readonly<Record<string, PgColumn>>)
    .filter(([name]) => !others.includes(name))
    .map(([name, column]) => `${row}.${column.name}${isJsonText(column) ? "::json" : ""} as "${name}"`)
    .join(", ");
}

function isJsonText(column: PgColumn): boolean {
  return column.columnType === "PgCustomColumn" && column.getSQLType() === "text";
}

/** SQL: the token counts of a row, as a JSON object with the fields of `Usage`. */
export function usageColumn(row: string): string {
  const fields = [`'inputTokens', ${row}.input_tokens`, `'outputTokens', ${row}.output_tokens`];
  return `jsonb_build_object(${fields.join(", ")}, 'cachedInputTokens', ${row}.cached_input_tokens) as usage`;
}

/** The fields of `usageColumn`, separated by spaces. */
export const usageFields = "inputTokens outputTokens cachedInputTokens";

/** Parts of an `insert` statement that reads its rows from a JSON array of records. */
export interface GivenRows {
  /** SQL: the columns to insert. */
  readonly columns: string;
  /** SQL: the values of these columns, from the record `g`. */
  readonly values: string;
  /**
   * Returns SQL that reads the records from a JSON array in a parameter. `more`: the definitions of further fields to read from
   * the records, starting with a comma.
   */
  readonly from: (parameter: string, more?: string) => string;
}

/** Returns SQL that reads `fields` (names separated by spaces) from JSON. JSON that a text column will contain is a string in it. */
export function givenRows(table: PgTable, fields: string): GivenRows {
  const columns = getTableColumns(table) as Readonly<Record<string, PgColumn>>;
  const given = fields.split(" ").map((field) => ({ field, column: columns[field]! }));
  const read = given.map(({ field, column }) => `"${field}" ${column.getSQLType()}`);
  return {
    columns: given.map(({ column }) => column.name).join(", "),
    values: given.map(({ field }) => `g."${field}"`).join(", "),
    from: (parameter, more = "") => `jsonb_to_recordset(${parameter}::text::jsonb) as g (${read.join(", ")}${more})`,
  };
}
