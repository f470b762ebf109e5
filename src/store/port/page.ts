// Types for pages of results, and for the spans of time that restrict them.
// Invariant: pages are counted from 0, and a total counts the results of all pages.

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Number of all matches, not only those on the page. */
  readonly total: number;
}

/** A span of time: from `from`, inclusive, to `before`, exclusive. */
export interface TimeSpan {
  readonly from?: Date;
  readonly before?: Date;
}

/** A part of a list in the order of creation. Empty if `after` or `before` is an unknown id. */
export interface ListRange {
  readonly order: "oldest" | "newest";
  /** The id of an item: only items after it in this order. */
  readonly after?: string;
  /** The id of an item: only items before it in this order. `limit` keeps those that are nearest to it. */
  readonly before?: string;
  /** Maximum items; null: all. */
  readonly limit: number | null;
}

export interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
}
