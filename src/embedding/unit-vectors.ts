// Splits the concatenated vectors that a worker thread sends.
// Invariant: as many as texts, each of the model's width and of length 1; anything else is an EmbeddingError.
import { EmbeddingError } from "../errors.ts";

export interface VectorShape {
  readonly count: number;
  readonly dimensions: number;
}

/** Throws EmbeddingError `embedding_dimensions_mismatch` or `embedding_failed`. */
export function unitVectors(flat: Float32Array, { count, dimensions }: VectorShape): readonly (readonly number[])[] {
  if (flat.length !== count * dimensions) {
    const message = `Expected ${count} vectors of ${dimensions} numbers, got ${flat.length} numbers.`;
    throw new EmbeddingError("embedding_dimensions_mismatch", message);
  }
  return Array.from({ length: count }, (_, index) => {
    const vector = Array.from(flat.subarray(index * dimensions, (index + 1) * dimensions));
    const norm = Math.hypot(...vector);
    // Also true for NaN. The models' own vectors are off by less than 1e-6.
    if (!(Math.abs(norm - 1) < 1e-3)) {
      throw new EmbeddingError("embedding_failed", `Expected a vector of length 1 from the model, got ${norm}.`);
    }
    return vector;
  });
}
