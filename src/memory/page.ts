// Pages of results, and spans of time that narrow them.
// Invariant: a page is counted from 0, and a total counts all results, not those of the page.

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** All matches, not those of the page. */
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
