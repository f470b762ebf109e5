// Defines the port to rerankers. They read a query together with each text, and therefore order hits better than vectors do.
// Invariant: `score` returns one number per text, in order, higher for a better match; or it throws.

export interface Reranker {
  /** The name for log and error messages: `http/NAME`, `transformers/NAME`. */
  readonly name: string;
  /** Returns one number per text, in order, higher for a better match. A failure is thrown. */
  score(query: string, texts: readonly string[], options: { readonly signal: AbortSignal }): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** A reranker that never fails a search. */
export interface GuardedReranker {
  /** Returns the scores; null if the reranker failed, or is paused after failures. */
  score(query: string, texts: readonly string[]): Promise<readonly number[] | null>;
  close(): Promise<void>;
}
