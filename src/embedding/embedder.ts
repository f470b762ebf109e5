// The port to embedding models: texts in, unit vectors out, all of one width.
// Invariant: `embed` returns one vector of `dimensions` numbers per text, in order, or throws EmbeddingError.

export interface Embedder {
  /** As in the configuration: `local/use-lite`, `openai/text-embedding-3-small`. Stored beside each vector. */
  readonly name: string;
  readonly dimensions: number;
  /** Texts may be of any length, empty included; the adapter guards what its model cannot take. */
  embed(texts: readonly string[], options?: { readonly signal?: AbortSignal }): Promise<readonly (readonly number[])[]>;
  close(): Promise<void>;
}

/** An embedder that is not called while it is failing: then `embed` throws EmbeddingError `embedder_unavailable` at once. */
export interface GuardedEmbedder extends Embedder {
  /** Milliseconds until a call is let through; 0 when one would be now. */
  pauseMs(): number;
}
