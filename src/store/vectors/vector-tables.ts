// Creates the vector tables of a width, which is a number of dimensions. Converts needs for vectors to SQL parameters, and
// nulls in rows of texts to absent fields.
// Invariant: a width is a whole number that pgvector supports, and its tables exist before a statement names them.
import { EmbeddingError } from "../../base/errors.ts";
import { ensureVectorTables } from "../sql/vectors.ts";
import type { UserContext } from "../connection/database.ts";
import { isUuid, type SqlParameter } from "../stored-values.ts";
import type { TextVersion, VectorNeed } from "../port/embedder-store.ts";

export interface VectorTables {
  /**
   * Creates the tables of a width if they are missing. Throws EmbeddingError `embedding_dimensions_mismatch` for an invalid
   * width.
   */
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
      // If the creation failed, the next call tries again.
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

/** Returns a need as SQL parameters, after the user: embedder, roles, whether the embedder is the default, and agents. */
export function needParameters({ embedder, roles, isDefault, agentIds }: VectorNeed): readonly SqlParameter[] {
  return [embedder, roles, isDefault, agentIds?.filter(isUuid)];
}

/** A row as the database returns it: `forgettings` is null instead of absent if there were none. */
export type UnversionedRow<Row> = Omit<Row, "forgettings"> & { readonly forgettings: number | null };

export function versioned<Row extends object>(
  rows: readonly (Row & { readonly forgettings: number | null })[],
): readonly (Omit<Row, "forgettings"> & TextVersion)[] {
  return rows.map(({ forgettings, ...row }) => (forgettings === null ? row : { ...row, forgettings }));
}
