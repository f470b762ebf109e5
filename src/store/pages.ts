// Reads parts of lists: pages with the number of all rows, and ranges between two rows.
// Invariant: an id that is not a UUID selects nothing, like an unknown id.
import type { ListRange, Page, PageRequest } from "./port/page.ts";
import { OtherEmbedder } from "./port/passage-store.ts";
import type { SqlParameter } from "./stored-values.ts";

/**
 * A row of a page, with the total number of rows. An empty page is one row of nulls and the total. The total is null if the
 * embedder that made the query's vector is not the agent's.
 */
export type PageRow<Row> = (Row | { readonly id: null }) & { readonly total: number | null };

/** Returns the page of these rows. Throws OtherEmbedder if the total is null. */
export function pageOf<Row extends { readonly id: string }, Result>(
  rows: readonly PageRow<Row>[],
  convert: (row: Row) => Result,
): Page<Result> {
  const total = rows[0]?.total ?? (rows.length === 0 ? 0 : null);
  if (total === null) throw new OtherEmbedder();
  const found = rows.filter((row): row is Row & PageRow<Row> => row.id !== null);
  return { rows: found.map(convert), total };
}

export const emptyPage: Page<never> = { rows: [], total: 0 };

// The largest `int`, the type of offsets in statements. A page beyond it is empty, like any page after the last.
const maxOffset = 2_147_483_647;

export function offsetOf({ page, pageSize }: PageRequest): number {
  return Math.min(page * pageSize, maxOffset);
}

/** The order in which a statement reads its rows. */
export type Direction = "asc" | "desc";

export interface RangeStatement {
  readonly range: ListRange;
  readonly statement: (direction: Direction) => string;
  /**
   * The user ($1) and the statement's own parameters (from $5). `rowsInRange` adds $2 to $4: at most $4 rows are read,
   * newer than row $2 and older than row $3 (ids; null: no limit).
   */
  readonly parameters: readonly [userId: string, ...others: SqlParameter[]];
}

/** Returns the rows of a range, in the order of the list. With only `before`, reads backwards from that row. */
export async function rowsInRange<Row>(
  run: (statement: string, parameters: readonly SqlParameter[]) => Promise<readonly Row[]>,
  { range: { order, after, before, limit }, statement, parameters: [userId, ...others] }: RangeStatement,
): Promise<readonly Row[]> {
  const isReversed = before !== undefined && after === undefined;
  const isNewestFirst = order === "newest";
  const bounds = isNewestFirst ? [before, after] : [after, before];
  const rows = await run(statement(isNewestFirst === isReversed ? "asc" : "desc"), [
    userId,
    ...bounds,
    limit,
    ...others,
  ]);
  return isReversed ? rows.toReversed() : rows;
}

export interface RangeOrder {
  /** SQL: the columns by which the list is ordered; the last is the id. */
  readonly by: readonly string[];
  /** Returns SQL for the values that these columns have in the row with the given id. */
  readonly of: (id: string) => string;
  readonly direction: Direction;
}

/** SQL: the conditions, the order and the limit of a statement for `rowsInRange`. */
export function inRange({ by, of, direction }: RangeOrder): string {
  return `and ($2::uuid is null or (${by.join(", ")}) > ${of("$2::uuid")})
  and ($3::uuid is null or (${by.join(", ")}) < ${of("$3::uuid")})
order by ${by.map((column) => `${column} ${direction}`).join(", ")}
limit $4::int`;
}
