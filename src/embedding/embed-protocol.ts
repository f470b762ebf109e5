// What an embedder and its worker thread say to each other.
// Invariant: every request is answered by exactly one reply with its id, or the thread ends.

export interface EmbedRequest {
  readonly id: number;
  /** As the embedder prepares them for its model. */
  readonly texts: readonly string[];
}

/** `vectors` holds the vectors of a request one after the other; `error` is what the model threw instead. */
export type EmbedReply =
  | { readonly id: number; readonly vectors: Float32Array<ArrayBuffer> }
  | { readonly id: number; readonly error: unknown };
