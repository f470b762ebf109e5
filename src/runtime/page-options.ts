// Which page of a listing.
// Invariant: types only.

export interface PageOptions {
  /** 0-based. */
  readonly page?: number;
  readonly pageSize?: number;
}
