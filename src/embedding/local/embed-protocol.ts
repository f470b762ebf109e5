// What the local embedder and its worker thread say to each other, and the two numbers of the model behind it.
// Invariant: every request is answered by exactly one reply with its id, or the thread ends.

/** The width of Universal Sentence Encoder Lite's vectors. */
export const modelDimensions = 512;

/** The model reads the first 128 tokens of a text and ignores the rest (measured: the vector is the same to the bit). */
export const modelWindowTokens = 128;

export interface EmbedRequest {
  readonly id: number;
  /** As `modelText` makes them. */
  readonly texts: readonly string[];
}

/** `vectors` holds the vectors of a request one after the other; `error` is what the model threw instead. */
export type EmbedReply =
  | { readonly id: number; readonly vectors: Float32Array<ArrayBuffer> }
  | { readonly id: number; readonly error: unknown };
