// What keeping a database in shape is: which tables of vectors have an index, and what was done about it.
// Invariant: types only. `src/store/upkeep/` does it.

/** A table of vectors and how its index stands. `too-wide`: vectors of that many dimensions cannot be indexed. */
export interface VectorTable {
  readonly table: string;
  readonly vectors: number;
  readonly dimensions: number;
  /** `broken`: its building was cut off; it costs every insert and answers nothing. */
  readonly index: "none" | "ready" | "broken" | "too-wide";
}

export interface OptimizeOptions {
  /** Tables of so many vectors on get an index. Default 20,001. */
  readonly minVectors?: number;
  /** Told what is about to take long, a line each. */
  readonly log?: (line: string) => void;
  /** Ends it between two steps; on a server also while an index is built, which then leaves nothing. */
  readonly signal?: AbortSignal;
}

export interface OptimizedTable extends VectorTable {
  /** How the index stands afterwards. `not-due`: there are fewer vectors than from where one pays. */
  readonly outcome: "built" | "kept" | "not-due" | "too-wide";
  /** Of the index, in bytes; 0 for none. */
  readonly indexBytes: number;
  /** Building it took so long. */
  readonly buildSeconds: number;
}

export interface OptimizeReport {
  readonly tables: readonly OptimizedTable[];
  /** The tables that were cleaned up and whose statistics were renewed. */
  readonly analyzed: readonly string[];
  readonly analyzeSeconds: number;
}
