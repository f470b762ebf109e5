// Ranks the entries of a message buffer for a query: by meaning or by words, and by recency.
// Invariant: pure; an entry without relevance to the query is not found, however recent it is.
import type { BufferedMessage, BufferedSummary } from "./buffered-message.ts";

/** A message, or a summary of messages. */
export type BufferEntry =
  | { readonly type: "message"; readonly text: string; readonly message: BufferedMessage }
  | { readonly type: "summary"; readonly text: string; readonly summary: BufferedSummary };

export type BufferHit = BufferEntry & {
  /** `(1 - recencyWeight) × relevance + recencyWeight × recency`. */
  readonly score: number;
  /** 0 to 1: the cosine of the vectors, or the share of the query's words that the text contains. */
  readonly relevance: number;
  /** 0 to 1: 1 for the newest entry, decreasing linearly with age rank. */
  readonly recency: number;
};

export interface RankingRequest {
  readonly k: number;
  readonly recencyWeight: number;
  /** Relevance of one entry, from 0 to 1. */
  readonly relevanceOf: (entry: BufferEntry) => number;
}

/** Returns the best `k` entries, best first; at equal scores, newest first. `entries`: oldest first. */
export function rankEntries(entries: readonly BufferEntry[], request: RankingRequest): readonly BufferHit[] {
  const { k, recencyWeight, relevanceOf } = request;
  const hits = entries.map((entry, place): BufferHit => {
    const relevance = relevanceOf(entry);
    const recency = (place + 1) / entries.length;
    return { ...entry, relevance, recency, score: (1 - recencyWeight) * relevance + recencyWeight * recency };
  });
  return hits
    .filter(({ relevance }) => relevance > 0)
    .sort((one, other) => other.score - one.score || other.recency - one.recency)
    .slice(0, k);
}

/** Returns the cosine of two unit vectors, or 0 if it is negative. */
export function positiveCosine(one: readonly number[], other: readonly number[]): number {
  const product = one.reduce((sum, number, place) => sum + number * (other[place] ?? 0), 0);
  return Math.min(1, Math.max(0, product));
}
