// An embedder that caches the vectors of recent texts, and shares concurrent calls for the same text.
// Invariant: only vectors are cached, never a failure or a refusal; a caller that waits for another call makes its own
// call if the other call fails; a query and a passage with the same text are separate entries.
import { LruCache } from "../../base/lru-cache.ts";
import { untilAborted } from "../../base/waiting.ts";
import type { EmbedOptions, GuardedEmbedder, Vector } from "./embedder.ts";

/** The vector that a concurrent call returned for a text; undefined if that call failed. */
type Awaited = Vector | undefined;

/**
 * Returns the embedder with a cache of `capacity` vectors. A `capacity` of 0 only shares concurrent calls. Cached vectors
 * are also returned during an outage.
 */
export function cacheVectors(embedder: GuardedEmbedder, capacity: number): GuardedEmbedder {
  const kept = new LruCache<string, readonly number[]>(capacity);
  const inFlight = new Map<string, Promise<Awaited>>();

  /** Embeds the texts in one call and caches the vectors. Meanwhile, `inFlight` lets other calls wait for them. */
  async function ask(texts: readonly string[], options: EmbedOptions): Promise<readonly Vector[]> {
    const asked = embedder.embed(texts, options);
    const settled: Promise<readonly Awaited[]> = asked.catch(() => texts.map(() => undefined));
    for (const [place, text] of texts.entries()) {
      inFlight.set(
        keyOf(text, options),
        settled.then((vectors) => vectors[place]),
      );
    }
    try {
      const vectors = await asked;
      for (const [place, text] of texts.entries()) {
        const vector = vectors[place] ?? null;
        if (vector !== null) kept.set(keyOf(text, options), vector);
      }
      return vectors;
    } finally {
      for (const text of texts) inFlight.delete(keyOf(text, options));
    }
  }

  async function find(texts: readonly string[], found: Map<string, Vector>, options: EmbedOptions): Promise<void> {
    const { signal } = options;
    const others = new Map<string, Promise<Awaited>>();
    const own: string[] = [];
    for (const text of texts) {
      const vector = kept.get(keyOf(text, options));
      const other = inFlight.get(keyOf(text, options));
      if (vector !== undefined) found.set(text, vector);
      else if (other === undefined) own.push(text);
      else others.set(text, other);
    }
    const vectors = own.length === 0 ? [] : await ask(own, options);
    for (const [place, text] of own.entries()) found.set(text, vectors[place] ?? null);
    const failed: string[] = [];
    for (const [text, other] of others) {
      const vector = await (signal === undefined ? other : untilAborted(other, signal));
      if (vector === undefined) failed.push(text);
      else found.set(text, vector);
    }
    if (failed.length > 0) await find(failed, found, options);
  }

  return {
    ...embedder,
    async embed(texts, options = {}) {
      options.signal?.throwIfAborted();
      const found = new Map<string, Vector>();
      await find([...new Set(texts)], found, options);
      return texts.map((text) => found.get(text) ?? null);
    },
  };
}

function keyOf(text: string, { isQuery = false }: EmbedOptions): string {
  return `${isQuery ? "?" : "."}${text}`;
}
