// Checks the vectors that embedders return, and normalizes them to length 1, which the store's distances require.
// Invariant: the result has one vector per text, each of the model's dimensions and of length 1; otherwise an EmbeddingError is
// thrown.
import { EmbeddingError } from "../../base/errors.ts";
import type { Embedder, Vector } from "./embedder.ts";

export interface VectorShape {
  readonly count: number;
  readonly dimensions: number;
}

// Maximum difference of a unit vector's length from 1; for vectors of real models, the difference is below 1e-6.
const tolerance = 1e-3;

/**
 * Returns the vectors that a worker thread sends concatenated. Throws EmbeddingError: `embedding_dimensions_mismatch`
 * if there are more or fewer numbers than expected, `embedding_failed` for a vector with another norm than 1.
 */
export function unitVectors(flat: Float32Array, { count, dimensions }: VectorShape): readonly (readonly number[])[] {
  if (flat.length !== count * dimensions) {
    const message = `Expected ${count * dimensions} numbers (${count} vectors) from the model, got ${flat.length}.`;
    throw new EmbeddingError("embedding_dimensions_mismatch", message);
  }
  return Array.from({ length: count }, (_, index) => {
    const vector = Array.from(flat.subarray(index * dimensions, (index + 1) * dimensions));
    const length = lengthOf(vector);
    // Negated, so that the condition is also true for NaN.
    if (!(Math.abs(length - 1) < tolerance)) {
      throw new EmbeddingError(
        "embedding_failed",
        `Expected a unit vector (Euclidean norm 1) from the model, got a vector with the norm ${length}.`,
      );
    }
    return vector;
  });
}

export interface ExpectedVector {
  readonly name: string;
  readonly dimensions: number;
  /** Returns advice for the error about a vector that has `width` dimensions instead of `dimensions`. */
  readonly remedy?: (width: number) => string;
}

/**
 * Returns the vector normalized to length 1; the same array if it already has this length. Throws EmbeddingError:
 * `embedding_dimensions_mismatch` for other dimensions; `embedding_failed` for a value that is not an array, for a zero vector,
 * and for an element that is not a finite number.
 */
export function unitVector(vector: unknown, { name, dimensions, remedy }: ExpectedVector): readonly number[] {
  if (!Array.isArray(vector)) {
    throw new EmbeddingError(
      "embedding_failed",
      `Expected an array of numbers for each text from ${name}, got a value that is not an array.`,
    );
  }
  if (vector.length !== dimensions) {
    const expected = `Expected vectors of ${dimensions} dimensions from ${name}, got ${vector.length}.`;
    const advice = remedy === undefined ? "" : ` ${remedy(vector.length)}`;
    throw new EmbeddingError("embedding_dimensions_mismatch", `${expected}${advice}`);
  }
  const length = lengthOf(vector);
  if (!Number.isFinite(length) || length === 0) {
    throw new EmbeddingError(
      "embedding_failed",
      `Expected a vector of finite numbers that are not all 0 from ${name}, got ${length === 0 ? "only zeros" : "a number that is not finite"}.`,
    );
  }
  if (Math.abs(length - 1) < tolerance) return vector as readonly number[];
  return vector.map((value: number) => value / length);
}

/** Returns the Euclidean length; NaN if an element is not a number, because servers write NaN as null. */
function lengthOf(vector: readonly unknown[]): number {
  let sum = 0;
  for (const value of vector) sum += typeof value === "number" ? value * value : Number.NaN;
  return Math.sqrt(sum);
}

/**
 * Returns the embedder with normalized vectors; the first vector whose length is not 1 is logged. `embed` throws
 * EmbeddingError for a vector that cannot be normalized or has other dimensions.
 */
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
