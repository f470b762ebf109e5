// A query's vector, for a search by meaning.
// Invariant: an embedder that fails costs the search its meaning and nothing else.
import { quotedLiteral } from "../../base/quoted-literal.ts";
import type { Embedder } from "../../embedding/embedder.ts";
import type { QueryMeaning } from "../passage-store.ts";

export interface MeaningParts {
  /** Null: search by words alone. */
  readonly embedder: Embedder | null;
  /** Told when a vector could not be made. */
  readonly onEmbeddingFailure: (error: unknown) => void;
}

/** Of an embedder that does not say: the least cosine of what is found by meaning alone. */
const defaultFloor = 0.35;

/** Null for a quoted query, which is literal, without an embedder, and when that fails. */
export async function queryMeaning(query: string, parts: MeaningParts): Promise<QueryMeaning | null> {
  const { embedder } = parts;
  if (embedder === null || quotedLiteral(query) !== undefined) return null;
  try {
    const [vector = null] = await embedder.embed([query], { isQuery: true });
    if (vector === null) return null;
    return {
      vector,
      embedder: embedder.name,
      dimensions: embedder.dimensions,
      floor: embedder.similarityFloor ?? defaultFloor,
    };
  } catch (error) {
    parts.onEmbeddingFailure(error);
    return null;
  }
}

/** Whether a search for it was to look for meaning and could not. */
export function isByWordsAlone(query: string, meaning: QueryMeaning | null, { embedder }: MeaningParts): boolean {
  return meaning === null && embedder !== null && quotedLiteral(query) === undefined;
}
