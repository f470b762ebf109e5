// A query's vector, for a search by meaning.
// Invariant: an embedder that fails costs the search its meaning and nothing else.
import { quotedLiteral } from "../../base/quoted-literal.ts";
import type { GuardedEmbedder } from "../../embedding/embedder.ts";
import type { QueryMeaning } from "../passage-store.ts";
import type { SearchedBy } from "./embedders.ts";
import { kindOf } from "./unembedded.ts";

export interface MeaningDeps {
  /** By what the agent is searched now. */
  readonly searchedBy: () => Promise<SearchedBy>;
  /** Told when a vector could not be made. */
  readonly onEmbeddingFailure: (error: unknown) => void;
}

/** What a search has of a query's meaning. */
export interface AskedMeaning {
  /** Null for a quoted query, which is literal, without an embedder, and when that fails. */
  readonly meaning: QueryMeaning | null;
  /** The search was to look for meaning and could not. */
  readonly wordsAlone: boolean;
}

export async function queryMeaning(query: string, deps: MeaningDeps): Promise<AskedMeaning> {
  if (quotedLiteral(query) !== undefined) return { meaning: null, wordsAlone: false };
  const { embedder, isWanted } = await deps.searchedBy();
  const meaning = embedder === null ? null : await meaningBy(embedder, query, deps);
  return { meaning, wordsAlone: isWanted && meaning === null };
}

async function meaningBy(embedder: GuardedEmbedder, query: string, deps: MeaningDeps): Promise<QueryMeaning | null> {
  try {
    const [vector = null] = await embedder.embed([query], { isQuery: true });
    if (vector === null) return null;
    return { ...kindOf(embedder), vector, floor: embedder.similarityFloor };
  } catch (error) {
    deps.onEmbeddingFailure(error);
    return null;
  }
}
