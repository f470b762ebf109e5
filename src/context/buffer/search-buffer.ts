// Searches the entries of a message buffer by meaning if there is an embedder and otherwise by words, and ranks them by this
// relevance and by recency.
// Invariant: if the embedder fails, the search falls back to words, and the result says so; an entry without relevance to the
// query is not found, however recent it is.
import { requireCount } from "../../base/arguments/argument-checks.ts";
import { EmbeddingError, RequestError } from "../../base/errors.ts";
import { LruCache } from "../../base/lru-cache.ts";
import { wordRelevance } from "../../base/query-words.ts";
import type { Embedder, Vector } from "../../model/embedding/embedder.ts";
import type { BufferedMessage, BufferedSummary, BufferFilter } from "./buffered-message.ts";

export interface BufferSearchOptions extends BufferFilter {
  /** Maximum number of hits; default 5. */
  readonly k?: number;
  /** Weight of recency in the score, from 0 to 1. Relevance has the remaining weight. Default 0.3. */
  readonly recencyWeight?: number;
  readonly signal?: AbortSignal;
}

export interface BufferSearchResult {
  /** Best first. */
  readonly hits: readonly BufferHit[];
  /** True if only words were compared: there is no embedder, it is switched off, it failed, or it refused the query. */
  readonly wordsAlone: boolean;
}

export type BufferSearch = (
  query: string,
  entries: readonly BufferEntry[],
  options: BufferSearchOptions,
) => Promise<BufferSearchResult>;

const cachedVectors = 1000;

/** Creates a search that caches vectors. If `embedder` is null, it compares words only. */
export function createBufferSearch(embedder: Embedder | null): BufferSearch {
  const cache = new LruCache<string, readonly number[]>(cachedVectors);
  return async (query, entries, options) => {
    const { k = 5, recencyWeight = 0.3, signal } = options;
    checkRequest(k, recencyWeight);
    if (query.trim() === "" || entries.length === 0) return { hits: [], wordsAlone: embedder === null };
    const texts = entries.map(({ text }) => text);
    const vectors = embedder === null ? null : await vectorsOf({ query, texts }, { embedder, cache, signal });
    const relevance =
      vectors === null
        ? wordRelevance(query)
        : (text: string) => positiveCosine(vectors.asked, vectors.of.get(text) ?? []);
    const hits = rankEntries(entries, { k, recencyWeight, relevanceOf: ({ text }) => relevance(text) });
    return { hits, wordsAlone: vectors === null };
  };
}

interface Vectors {
  readonly asked: readonly number[];
  readonly of: ReadonlyMap<string, readonly number[]>;
}

interface Vectorizing {
  readonly embedder: Embedder;
  readonly cache: LruCache<string, readonly number[]>;
  readonly signal: AbortSignal | undefined;
}

/**
 * Returns the vectors of the query and the texts; null if the embedder failed or refused the query. A text that the embedder
 * refuses has no vector, so its relevance is 0.
 */
async function vectorsOf(
  { query, texts }: { readonly query: string; readonly texts: readonly string[] },
  parts: Vectorizing,
): Promise<Vectors | null> {
  const [asked, found] = await Promise.all([vectorsFor([query], true, parts), vectorsFor(texts, false, parts)]);
  const vector = asked?.get(query);
  return vector === undefined || found === null ? null : { asked: vector, of: found };
}

/** Returns the vector of each text. Reads all cached vectors before it adds new ones, which may evict cached ones. */
async function vectorsFor(
  texts: readonly string[],
  isQuery: boolean,
  parts: Vectorizing,
): Promise<Map<string, readonly number[]> | null> {
  const { cache } = parts;
  // The query and an entry have different keys, even if their texts are equal: some models embed queries differently.
  const keyOf = (text: string): string => `${isQuery ? "?" : "."}${text}`;
  const known = new Map<string, readonly number[]>();
  const missing: string[] = [];
  for (const text of new Set(texts)) {
    const vector = cache.get(keyOf(text));
    if (vector === undefined) missing.push(text);
    else known.set(text, vector);
  }
  const made = await embedOrNull(missing, isQuery, parts);
  if (made === null) return null;
  for (const [place, text] of missing.entries()) {
    const vector = made[place] ?? null;
    if (vector === null) continue;
    cache.set(keyOf(text), vector);
    known.set(text, vector);
  }
  return known;
}

async function embedOrNull(
  texts: readonly string[],
  isQuery: boolean,
  { embedder, signal }: Vectorizing,
): Promise<readonly Vector[] | null> {
  if (texts.length === 0) return [];
  try {
    return await embedder.embed(texts, signal === undefined ? { isQuery } : { isQuery, signal });
  } catch (error) {
    // If the embedder fails, the search compares words instead, and its result says so.
    if (error instanceof EmbeddingError) return null;
    throw error;
  }
}

function checkRequest(k: number, recencyWeight: number): void {
  requireCount("k", k, 1);
  if (!(recencyWeight >= 0 && recencyWeight <= 1)) {
    throw new RequestError("input_invalid", `Expected \`recencyWeight\` to be from 0 to 1, got ${recencyWeight}.`);
  }
}

/** A message, or a summary of messages. */
export type BufferEntry =
  | { readonly type: "message"; readonly text: string; readonly message: BufferedMessage }
  | { readonly type: "summary"; readonly text: string; readonly summary: BufferedSummary };

export type BufferHit = BufferEntry & {
  /** `(1 - recencyWeight) × relevance + recencyWeight × recency`. */
  readonly score: number;
  /** 0 to 1: the cosine of the vectors, or the share of the query's words that the text contains. */
  readonly relevance: number;
  /** From 0 to 1: the entry's place by age, divided by the number of entries; the newest entry has 1. */
  readonly recency: number;
};

interface RankingRequest {
  readonly k: number;
  readonly recencyWeight: number;
  /** Relevance of one entry, from 0 to 1. */
  readonly relevanceOf: (entry: BufferEntry) => number;
}

/** Returns the best `k` entries, best first; of entries with equal scores, the newest first. `entries`: oldest first. */
function rankEntries(entries: readonly BufferEntry[], request: RankingRequest): readonly BufferHit[] {
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
function positiveCosine(one: readonly number[], other: readonly number[]): number {
  const product = one.reduce((sum, number, place) => sum + number * (other[place] ?? 0), 0);
  return Math.min(1, Math.max(0, product));
}
