// Converts the error of an embedding call to an EmbeddingError that says whether the texts may be the cause.
// Invariant: an error that concerns every text (the key, the rate, the model's name, a time-out) is
// `embedder_unavailable`.
import {
  EmbeddingError,
  ModelAuthError,
  type ModelError,
  ModelRateLimitError,
  ModelRequestError,
  ModelTimeoutError,
} from "../../../base/errors.ts";

/**
 * `embedding_failed` for a refusal, a server error (5xx) and an invalid answer: some servers fail so for single texts.
 */
export function toEmbeddingError(error: ModelError): EmbeddingError {
  const code = concernsAllTexts(error) ? "embedder_unavailable" : "embedding_failed";
  return new EmbeddingError(code, error.message, { cause: error });
}

// 402 and 429: the account's quota is used up. 404: there is no such model.
const forAll = new Set([402, 404, 429]);

function concernsAllTexts(error: ModelError): boolean {
  if (error instanceof ModelAuthError || error instanceof ModelRateLimitError || error instanceof ModelTimeoutError) {
    return true;
  }
  return error instanceof ModelRequestError && error.status !== undefined && forAll.has(error.status);
}
