// Makes a query's vector for a search by meaning.
// Invariant: if the embedder fails, the search falls back to words.
import { quotedLiteral } from "../../base/query-words.ts";
import type { GuardedEmbedder } from "../../model/embedding/embedder.ts";
import type { GuardedReranker } from "../../model/reranking/reranker.ts";
import { OtherEmbedder, type QueryMeaning } from "../../store/port/passage-store.ts";
import type { SearchedBy } from "./embedders.ts";
import { kindOf } from "./unembedded.ts";

export interface MeaningDeps {
  /** Returns the embedder that the agent's searches use: as last read (`last`), or as stored `now`. */
  readonly searchedBy: (asOf: "last" | "now") => Promise<SearchedBy>;
  /** Reorders the best hits; null: they keep their order. */
  readonly reranker: GuardedReranker | null;
  /** Called when a vector could not be made. */
  readonly onEmbeddingFailure: (error: unknown) => void;
}

/** The value for a search that does not compare meaning. */
export const noMeaning: AskedMeaning = { meaning: null, wordsAlone: false };

/** A query's vector, and whether the search compares words alone. */
export interface AskedMeaning {
  /** Null for a quoted query (matched literally), if there is no embedder, and if the embedder fails. */
  readonly meaning: QueryMeaning | null;
  /** Whether the search could not compare meaning although an embedder is configured. */
  readonly wordsAlone: boolean;
}

/**
 * Searches by the vector of a query. The agent's embedder is not read for each search: `search` throws OtherEmbedder if
 * the embedder was switched, and then the search is repeated with the current embedder.
 */
export async function searchByMeaning<Found>(
  query: string,
  deps: MeaningDeps,
  search: (asked: AskedMeaning) => Promise<Found>,
): Promise<Found> {
  if (quotedLiteral(query) !== undefined) return search(noMeaning);
  try {
    return await search(await queryMeaning(query, deps, "last"));
  } catch (error) {
    if (!(error instanceof OtherEmbedder)) throw error;
    return search(await queryMeaning(query, deps, "now"));
  }
}

async function queryMeaning(query: string, deps: MeaningDeps, asOf: "last" | "now"): Promise<AskedMeaning> {
  const { embedder, isWanted } = await deps.searchedBy(asOf);
  const meaning = embedder === null ? null : await meaningBy(embedder, query, deps);
  return { meaning, wordsAlone: isWanted && meaning === null };
}

async function meaningBy(embedder: GuardedEmbedder, query: string, deps: MeaningDeps): Promise<QueryMeaning | null> {
  try {
    const [vector = null] = await embedder.embed([query], { isQuery: true });
    if (vector === null) return null;
    return { ...kindOf(embedder), vector, ...(await embedder.similarity()) };
  } catch (error) {
    deps.onEmbeddingFailure(error);
    return null;
  }
}
