// The tables of vectors of each width, made when the first vector of that width comes.
// Invariant: a width is a whole number that pgvector can hold, and its tables are there before a statement names them.
import { EmbeddingError } from "../../errors.ts";
import { ensureVectorTables } from "../sql/vectors.ts";
import type { UserContext } from "../connection/database.ts";

export interface VectorTables {
  /** Throws EmbeddingError `embedding_width` for what is no width. */
  ensure(dimensions: number): Promise<void>;
}

/** pgvector's `vector` has at most so many numbers. */
const maxDimensions = 16_000;
/** Digits that tell every number of single precision, which pgvector keeps, from all others (IEEE 754-2008, 5.12.2). */
const singlePrecision = 9;

export function createVectorTables({ repeatable }: Pick<UserContext, "repeatable">): VectorTables {
  const ensured = new Map<number, Promise<void>>();
  const make = async (dimensions: number): Promise<void> => {
    await repeatable((tx) => tx.run(ensureVectorTables, [dimensions]));
  };
  return {
    async ensure(dimensions) {
      requireWidth(dimensions);
      const begun = ensured.get(dimensions) ?? make(dimensions);
      ensured.set(dimensions, begun);
      // The next call tries again what has failed.
      begun.catch(() => ensured.delete(dimensions));
      await begun;
    },
  };
}

function requireWidth(dimensions: number): void {
  if (Number.isInteger(dimensions) && dimensions >= 1 && dimensions <= maxDimensions) return;
  throw new EmbeddingError(
    "embedding_width",
    `Expected vectors of 1 to ${maxDimensions} numbers, got ${dimensions} of them.`,
  );
}

/** The vector as text of pgvector's. Throws EmbeddingError when it has another width than its embedder's, or no number. */
export function vectorText(vector: readonly number[], dimensions: number): string {
  if (vector.length !== dimensions) {
    throw new EmbeddingError(
      "embedding_width",
      `Expected a vector of ${dimensions} numbers, got one of ${vector.length}.`,
    );
  }
  if (!vector.every(Number.isFinite)) {
    throw new EmbeddingError("embedding_failed", "A vector holds a number that is not finite.");
  }
  return `[${vector.map((number) => number.toPrecision(singlePrecision)).join(",")}]`;
}
