// An embedder whose vectors are checked, and normalized if they are not of length 1: the store's distances need that.
import { EmbeddingError } from "../../base/errors.ts";
import type { Embedder, Vector } from "./embedder.ts";
import { unitVector } from "./unit-vectors.ts";

/** Logs one line at the first vector that is not of length 1. `embed` throws EmbeddingError for any other wrong vector. */
export function normalizeVectors(embedder: Embedder, log: (line: string) => void): Pick<Embedder, "embed"> {
  let isReported = false;
  const normalized = (vector: Vector): Vector => {
    if (vector === null) return null;
    const unit = unitVector(vector, embedder);
    if (unit !== vector && !isReported) {
      isReported = true;
      log(`The embedder ${embedder.name} returns vectors that are not of length 1: they are normalized.`);
    }
    return unit;
  };
  return {
    async embed(texts, options) {
      const vectors: unknown = await embedder.embed(texts, options);
      if (Array.isArray(vectors) && vectors.length === texts.length)
        return (vectors as readonly Vector[]).map(normalized);
      const got = Array.isArray(vectors) ? `${vectors.length}` : "no array";
      throw new EmbeddingError(
        "embedding_failed",
        `Expected ${texts.length} vectors from ${embedder.name}, got ${got}.`,
      );
    },
  };
}
