// Options that select a page of a list.
// Invariant: types only.

export interface PageOptions {
  /** 0-based. */
  readonly page?: number;
  readonly pageSize?: number;
}
