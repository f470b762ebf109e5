// Converts pages of results from hand-written SQL: every row has the total, and an empty page is one row of nulls.
import type { Page, PageRequest } from "./port/page.ts";

export type PageRow<Row> = (Row | { readonly id: null }) & { readonly total: number };

export function pageOf<Row extends { readonly id: string }, Result>(
  rows: readonly PageRow<Row>[],
  convert: (row: Row) => Result,
): Page<Result> {
  const found = rows.filter((row): row is Row & { readonly total: number } => row.id !== null);
  return { rows: found.map(convert), total: rows[0]?.total ?? 0 };
}

export const emptyPage: Page<never> = { rows: [], total: 0 };

// PostgreSQL's largest offset; a page beyond it is as empty as any beyond the last.
const maxOffset = 2_147_483_647;

export function offsetOf({ page, pageSize }: PageRequest): number {
  return Math.min(page * pageSize, maxOffset);
}
