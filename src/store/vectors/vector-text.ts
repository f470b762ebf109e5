// Converts vectors to and from the text form that statements send and the database returns, with the package pgvector.
// Invariant: a text that is written has its embedder's width and finite numbers, and loses no bit that pgvector stores.
import { fromSql, toSql } from "pgvector";
import { EmbeddingError } from "../../base/errors.ts";

/** Digits that distinguish all numbers of single precision, which pgvector stores (IEEE 754-2008, 5.12.2). */
const singlePrecision = 9;

/**
 * Returns a vector as text. Throws EmbeddingError unless the vector has `dimensions` elements, all of them finite
 * numbers.
 */
export function vectorText(vector: readonly number[], dimensions: number): string {
  if (vector.length !== dimensions) {
    throw new EmbeddingError(
      "embedding_dimensions_mismatch",
      `Expected a vector of ${dimensions} numbers, got ${vector.length} numbers.`,
    );
  }
  if (!vector.every(Number.isFinite)) {
    throw new EmbeddingError(
      "embedding_failed",
      "Expected finite numbers in a vector, got a number that is not finite.",
    );
  }
  return toSql(vector.map((number) => Number(number.toPrecision(singlePrecision)))) as string;
}

/** Returns the numbers of a vector that the database wrote as text. */
export function vectorOf(text: string): readonly number[] {
  return fromSql(text) as readonly number[];
}
