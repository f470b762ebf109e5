// What counts how much in a search of archival memory.
// Invariant: words count 1, so a weight is how much something else counts beside them.

export interface SearchWeights {
  readonly meaning: number;
  /** For a text that holds the whole query as it stands; half of it for one that holds an identifier of the query. */
  readonly literal: number;
  readonly importance: number;
}

/** What measured best on conversations: docs/benchmarks.md. Importance changed nothing there. */
export const defaultSearchWeights: SearchWeights = { meaning: 0.5, literal: 1, importance: 0 };
