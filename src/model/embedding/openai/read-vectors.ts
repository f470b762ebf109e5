// Reads the vectors from an embedding server's answer.
// Invariant: as many unit vectors as texts, in their order, all of one width; anything else is an EmbeddingError.
import { EmbeddingError } from "../../../base/errors.ts";
import { unitVector } from "../unit-vectors.ts";

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
  const remedy = (width: number) => `If that is its width, set embeddingDimensions to ${width}.`;
  return ordered.slice(0, texts).map((vector) => unitVector(vector, { ...expected, remedy }));
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[field] : undefined;
}
