// What an embedding call threw, as an EmbeddingError that says whether it may be the texts.
// Invariant: what concerns every text alike (the key, the rate, the name of the model, a time-out) is `embedder_unavailable`.
import {
  EmbeddingError,
  ModelAuthError,
  type ModelError,
  ModelRateLimitError,
  ModelRequestError,
  ModelTimeoutError,
} from "../../errors.ts";

/** `embedding_failed` for a refusal, a failing server (5xx) and a broken answer: some servers do that for one text. */
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
