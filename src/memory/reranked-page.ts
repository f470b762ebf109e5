// Orders the best hits of a search by a reranker, page by page.
// Invariant: pages of one query do not overlap; a reranker does not change the total of the search.
import type { GuardedReranker } from "../model/reranking/reranker.ts";
import type { Page } from "../store/port/page.ts";

/** Number of best hits that a reranker reads: the cost grows with this number, and later pages rarely matter. */
const depth = 50;

/**
 * Returns a page of hits in the reranker's order. `find` returns a page of the search, and `textOf` returns the text
 * that the reranker reads.
 */
export async function rerankedPage<Row>(
  reranker: GuardedReranker | null,
  { query, page, pageSize }: { readonly query: string; readonly page: number; readonly pageSize: number },
  {
    find,
    textOf,
  }: {
    readonly find: (page: number, pageSize: number) => Promise<Page<Row>>;
    readonly textOf: (row: Row) => string;
  },
): Promise<Page<Row>> {
  const start = page * pageSize;
  if (reranker === null || start >= depth) return find(page, pageSize);
  const isWhole = start + pageSize <= depth;
  const found = await find(0, isWhole ? depth : start + pageSize);
  const best = found.rows.slice(0, depth);
  const scores = best.length < 2 ? null : await reranker.score(query, best.map(textOf));
  const ordered = scores === null ? best : byScore(best, scores);
  return { rows: [...ordered, ...found.rows.slice(depth)].slice(start, start + pageSize), total: found.total };
}

/** Sorts rows by score, highest first; equal scores keep their order. */
function byScore<Row>(rows: readonly Row[], scores: readonly number[]): readonly Row[] {
  return rows
    .map((row, place) => ({ row, score: scores[place] ?? 0 }))
    .sort((one, other) => other.score - one.score)
    .map(({ row }) => row);
}
