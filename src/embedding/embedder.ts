// The port to embedding models: texts in, unit vectors out, all of one width.
// Invariant: `embed` gives one vector of `dimensions` numbers per text, in order, and null for a text that the model
// refuses though it takes others; or it throws EmbeddingError.

export interface Embedder {
  /** As in the configuration: `local/use-lite`, `openai/text-embedding-3-small`. Stored beside each vector. */
  readonly name: string;
  readonly dimensions: number;
  /** A call goes to another machine, and may cost money. Default false. */
  readonly isRemote?: boolean;
  /** Cosine similarity below which nothing is a hit by its meaning alone. Default 0.35. */
  readonly similarityFloor?: number;
  /** Tokens of a text that the model reads; what comes after them does not count. Default 512. */
  readonly windowTokens?: number;
  /** Tokens of a text as the model has them, or an estimate. Default: an estimate that is rather high. */
  readonly countTokens?: (text: string) => number;
  /**
   * With `isQuery` the texts are what is asked for, else what is to be found: some models read the two differently, the others
   * need not look at it. Texts may be of any length, empty included; the adapter guards what its model cannot take. Null says that asking for
   * this text again would not help: it is found by its words alone. An outage is thrown, never null.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<readonly Vector[]>;
  close(): Promise<void>;
}

export interface EmbedOptions {
  readonly isQuery?: boolean;
  readonly signal?: AbortSignal;
}

export type Vector = readonly number[] | null;

/** An embedder that is not called while it is failing: then `embed` throws EmbeddingError `embedder_unavailable` at once. */
export interface GuardedEmbedder extends Embedder {
  readonly similarityFloor: number;
  readonly windowTokens: number;
  readonly countTokens: (text: string) => number;
  /** Milliseconds until a call is let through; 0 when one would be now. */
  pauseMs(): number;
}
