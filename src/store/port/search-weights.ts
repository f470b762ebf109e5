// The weights of a search of archival memory.
// Invariant: the weight of words is 1, and the other weights are relative to it.

export interface SearchWeights {
  readonly meaning: number;
  /**
   * Bonus for a text that contains the whole query literally. A text that contains only an identifier of the query gets half
   * of the bonus.
   */
  readonly literal: number;
  readonly importance: number;
}

/** The best weights measured on conversations (docs/benchmarks.md). Importance had no effect in the measurements. */
export const defaultSearchWeights: SearchWeights = { meaning: 0.5, literal: 1, importance: 0 };
