// Makes a query's vector for a search by meaning.
// Invariant: if the embedder fails, the search falls back to words.
import { quotedLiteral } from "../../base/query-words.ts";
import type { GuardedEmbedder } from "../../model/embedding/embedder.ts";
import type { GuardedReranker } from "../../model/reranking/reranker.ts";
import type { QueryMeaning } from "../../store/port/passage-store.ts";
import type { SearchedBy } from "./embedders.ts";
import { kindOf } from "./unembedded.ts";

export interface MeaningDeps {
  /** Returns the embedder that the agent's searches use now. */
  readonly searchedBy: () => Promise<SearchedBy>;
  /** Reorders the best hits; null: they keep their order. */
  readonly reranker: GuardedReranker | null;
  /** Called when a vector could not be made. */
  readonly onEmbeddingFailure: (error: unknown) => void;
}

/** A query's vector, and whether the search compares words alone. */
export interface AskedMeaning {
  /** Null for a quoted query (matched literally), if there is no embedder, and if the embedder fails. */
  readonly meaning: QueryMeaning | null;
  /** True if the search should have compared meaning and could not. */
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
    return { ...kindOf(embedder), vector, ...(await embedder.similarity()) };
  } catch (error) {
    deps.onEmbeddingFailure(error);
    return null;
  }
}
