// Options and results of optimizing a database: vector tables, their indexes, and the work done.
// Invariant: types only. `src/store/upkeep/` implements it.

/** A vector table and the state of its index. `too-wide`: vectors of that many dimensions cannot be indexed. */
export interface VectorTable {
  readonly table: string;
  readonly vectors: number;
  readonly dimensions: number;
  /** `broken`: the build of the index was interrupted. A broken index slows every insert and answers no query. */
  readonly index: "none" | "ready" | "broken" | "too-wide";
}

export interface OptimizeOptions {
  /** Minimum number of vectors for which a table gets an index. Default 20,001. */
  readonly minVectors?: number;
  /** Called with a line before each long operation. */
  readonly log?: (line: string) => void;
  /** Stops between two operations; on a server it also cancels an index build, which then leaves no index. */
  readonly signal?: AbortSignal;
}

export interface OptimizedTable extends VectorTable {
  /** What became of the index. `not-due`: there are too few vectors for one. */
  readonly outcome: "built" | "kept" | "not-due" | "too-wide";
  /** Size of the index in bytes; 0 for none. */
  readonly indexBytes: number;
  /** Duration of the build, in seconds. */
  readonly buildSeconds: number;
}

export interface OptimizeReport {
  readonly tables: readonly OptimizedTable[];
  /** The tables that were vacuumed and analyzed. */
  readonly analyzed: readonly string[];
  readonly analyzeSeconds: number;
}
