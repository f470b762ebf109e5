// Defines the port to embedding models, which turn texts into vectors.
// Invariant: `embed` returns, in order, one vector of `dimensions` numbers per text, or null for a text that the model cannot
// embed although it embeds others. Otherwise it throws EmbeddingError. `guardEmbedder` ensures that vectors have length 1.

export interface Embedder {
  /** The name in the configuration: `local/use-lite`, `openai/text-embedding-3-small`. Stored with each vector. */
  readonly name: string;
  readonly dimensions: number;
  /** Whether calls leave this machine and may be billed. Default false. */
  readonly isRemote?: boolean;
  /** Minimum cosine similarity of a hit that the query's words did not find. Default 0.35. */
  readonly similarityFloor?: number;
  /** Factor by which a search multiplies the agent's weight of meaning. Default 1. */
  readonly meaningWeight?: number;
  /** Number of tokens that the model reads of a text; it ignores later tokens. Default 512. */
  readonly windowTokens?: number;
  /** Counts a text's tokens by the model's tokenizer, or by an estimate. Default: an overestimate. */
  readonly countTokens?: (text: string) => number;
  /**
   * Returns a vector for each text. With `isQuery` the texts are queries, otherwise passages: some models embed the two
   * differently; an adapter may ignore `isQuery`. Texts may have any length, including zero; the adapter handles texts
   * that its model does not accept. Null means that a retry would not help: searches find such a text by words only. An
   * outage is thrown, never null.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<readonly Vector[]>;
  close(): Promise<void>;
}

export interface EmbedOptions {
  readonly isQuery?: boolean;
  readonly signal?: AbortSignal;
}

/** How a search interprets the cosine similarities of an embedder's vectors. */
export interface Similarity {
  /** Minimum cosine similarity of a hit that the query's words did not find. */
  readonly floor: number;
  /** Factor by which a search multiplies the agent's weight of meaning. */
  readonly weight: number;
}

/** An embedder that derives its minimum similarity (floor) from vectors that it has made. */
export interface LearnedEmbedder extends Embedder {
  /** Returns the floor. Throws the same errors as `embed`. */
  learnedFloor(): Promise<number>;
}

export type Vector = readonly number[] | null;

/** An embedder with a circuit breaker. While the circuit is open, `embed` throws `embedder_unavailable` at once. */
export interface GuardedEmbedder extends Omit<Embedder, "similarityFloor" | "meaningWeight"> {
  /**
   * Returns floor and weight. Throws EmbeddingError if the floor must be learned and the embedder fails. Once a text
   * has been embedded, the floor is known.
   */
  similarity(): Promise<Similarity>;
  readonly windowTokens: number;
  readonly countTokens: (text: string) => number;
  /** Returns the milliseconds until a call is admitted; 0 if a call is admitted now. */
  pauseMs(): number;
}
