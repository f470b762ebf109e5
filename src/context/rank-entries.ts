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

export interface RankingWish {
  readonly k: number;
  readonly recencyWeight: number;
  /** Of one entry, from 0 to 1. */
  readonly relevanceOf: (entry: BufferEntry) => number;
}

/** The best `k`, best first; of equals the newer first. `entries`: oldest first. */
export function rankEntries(entries: readonly BufferEntry[], wish: RankingWish): readonly BufferHit[] {
  const { k, recencyWeight, relevanceOf } = wish;
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

/** The share of the query's terms that a text has; case and width do not matter. A function, so that the query is read once. */
export function wordRelevance(query: string): (text: string) => number {
  const terms = termsOf(fold(query));
  return (text) => {
    const folded = fold(text);
    return terms.filter((term) => folded.includes(term)).length / Math.max(1, terms.length);
  };
}

/** Beyond these, more terms change a ranking little and cost a scan of every text each. */
const mostTerms = 64;
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+$/u;

/** Words; of scripts that put no spaces between them, pairs of letters. What has no words at all is one term as it stands. */
function termsOf(query: string): readonly string[] {
  const words = query.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [query.trim()].filter((whole) => whole !== "");
  const terms = words.flatMap((word) => (unspaced.test(word) ? pairsOf(word) : [word]));
  return [...new Set(terms)].slice(0, mostTerms);
}

function pairsOf(word: string): readonly string[] {
  const letters = Array.from(word).slice(0, mostTerms + 1);
  return letters.length < 2 ? letters : letters.slice(1).map((letter, place) => `${letters[place]}${letter}`);
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
