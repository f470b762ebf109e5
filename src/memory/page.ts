// Pages of results, and spans of time that restrict them.
// Invariant: pages are counted from 0, and a total counts all results, not those of the page.

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Number of all matches, not only those on the page. */
  readonly total: number;
}

/** A half-open span of time. */
export interface TimeSpan {
  readonly from?: Date;
  readonly before?: Date;
}

export interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
}
