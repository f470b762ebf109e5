// Reads the vectors from an embedding server's answer.
// Invariant: as many unit vectors as texts, in their order, all of one width; anything else is an EmbeddingError.
import { EmbeddingError } from "../../errors.ts";

export interface Expected {
  readonly name: string;
  readonly texts: number;
  readonly dimensions: number;
}

/**
 * Throws EmbeddingError: `embedding_dimensions_mismatch` for another width, else `embedding_failed`. Messages contain nothing
 * of the answer.
 */
export function readVectors(answer: unknown, expected: Expected): readonly (readonly number[])[] {
  const entries = fieldOf(answer, "data");
  const { name, texts } = expected;
  if (!Array.isArray(entries) || entries.length !== texts) {
    const got = Array.isArray(entries) ? `${entries.length}` : "an answer without a list of them";
    throw new EmbeddingError("embedding_failed", `Expected ${texts} vectors from ${name}, got ${got}.`);
  }
  const ordered: unknown[] = entries.map(() => undefined);
  for (const [place, entry] of entries.entries()) {
    const index = fieldOf(entry, "index") ?? place;
    ordered[index as number] = fieldOf(entry, "embedding");
  }
  return ordered.slice(0, texts).map((vector) => unitVector(vector, expected));
}

function unitVector(vector: unknown, { name, dimensions }: Expected): readonly number[] {
  if (!Array.isArray(vector)) {
    throw new EmbeddingError("embedding_failed", `Expected a vector of numbers for each text from ${name}, got none.`);
  }
  if (vector.length !== dimensions) {
    throw new EmbeddingError(
      "embedding_dimensions_mismatch",
      `Expected vectors of ${dimensions} dimensions from ${name}, got ${vector.length}. ` +
        `If that is its width, set embeddingDimensions to ${vector.length}.`,
    );
  }
  // Not Math.hypot: many servers send 3,072 numbers, which would be too many arguments, and a value that is not a
  // number would go unnoticed.
  const norm = Math.sqrt(vector.reduce((sum: number, value: unknown) => sum + square(value), 0));
  if (!Number.isFinite(norm) || norm === 0) {
    throw new EmbeddingError(
      "embedding_failed",
      `Expected a vector with a length above 0 from ${name}, got one without.`,
    );
  }
  return vector.map((value: number) => value / norm);
}

/** Returns NaN for a value that is not a number: servers write NaN as null. */
function square(value: unknown): number {
  return typeof value === "number" ? value * value : Number.NaN;
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[field] : undefined;
}
