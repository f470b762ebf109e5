// The vector tables of each width, created for the first vector of that width.
// Invariant: a width is a whole number that pgvector supports, and its tables exist before a statement names them.
import { EmbeddingError } from "../../base/errors.ts";
import { ensureVectorTables } from "../sql/vectors.ts";
import type { UserContext } from "../connection/database.ts";

export interface VectorTables {
  /** Throws EmbeddingError `embedding_dimensions_mismatch` for an invalid width. */
  ensure(dimensions: number): Promise<void>;
}

/** Maximum dimensions of pgvector's `vector`. */
const maxDimensions = 16_000;

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
      // A failed attempt is repeated by the next call.
      begun.catch(() => ensured.delete(dimensions));
      await begun;
    },
  };
}

function requireWidth(dimensions: number): void {
  if (Number.isInteger(dimensions) && dimensions >= 1 && dimensions <= maxDimensions) return;
  throw new EmbeddingError(
    "embedding_dimensions_mismatch",
    `Expected vectors of 1 to ${maxDimensions} numbers, got ${dimensions}.`,
  );
}
