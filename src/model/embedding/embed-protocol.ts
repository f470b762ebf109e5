// The messages between an embedder and its worker thread.
// Invariant: every request gets exactly one reply with its id, or the thread ends.

export interface EmbedRequest {
  readonly id: number;
  /** Prepared by the embedder for its model. */
  readonly texts: readonly string[];
}

/** `vectors` contains the vectors of a request, concatenated; `error` is the error that the model threw. */
export type EmbedReply =
  | { readonly id: number; readonly vectors: Float32Array<ArrayBuffer> }
  | { readonly id: number; readonly error: unknown };
