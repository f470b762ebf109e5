// The port to rerankers: models that read a query together with each text, and so order hits better than vectors do.
// Invariant: `score` returns one number per text, in order, higher for a better match; or it throws.

export interface Reranker {
  /** For messages: `http/NAME`, `transformers/NAME`. */
  readonly name: string;
  /** Returns one number per text, in order, higher for a better match. A failure is thrown. */
  score(query: string, texts: readonly string[], options: { readonly signal: AbortSignal }): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** A reranker that never fails a search. */
export interface GuardedReranker {
  /** Null if the reranker failed, or is not called for a while because it failed before. */
  score(query: string, texts: readonly string[]): Promise<readonly number[] | null>;
  close(): Promise<void>;
}
