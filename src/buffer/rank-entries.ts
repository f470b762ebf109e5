// Ranks the entries of a message buffer against a query: by meaning or by words, and by how recent they are.
// Invariant: pure; what has nothing to do with the query is not found, however recent it is.
import type { BufferedMessage, BufferedSummary } from "./buffered-message.ts";

/** A message, or a summary that stands for some. */
export type BufferEntry =
  | { readonly type: "message"; readonly text: string; readonly message: BufferedMessage }
  | { readonly type: "summary"; readonly text: string; readonly summary: BufferedSummary };

export type BufferHit = BufferEntry & {
  /** `(1 - recencyWeight) × relevance + recencyWeight × recency`. */
  readonly score: number;
  /** 0 to 1: the cosine of the vectors, or the share of the query's words that the text has. */
  readonly relevance: number;
  /** 0 to 1: the newest entry has 1, and each before it as much less as its place is lower. */
  readonly recency: number;
};

export interface RankingRequest {
  readonly k: number;
  readonly recencyWeight: number;
  /** Of one entry, from 0 to 1. */
  readonly relevanceOf: (entry: BufferEntry) => number;
}

/** The best `k`, best first; of equals the newer first. `entries`: oldest first. */
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

/** The cosine of two unit vectors, with what points away counted as 0. */
export function closeness(one: readonly number[], other: readonly number[]): number {
  const product = one.reduce((sum, number, place) => sum + number * (other[place] ?? 0), 0);
  return Math.min(1, Math.max(0, product));
}
