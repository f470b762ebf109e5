// An embedder that remembers the vectors of the texts that were used last, and asks for a text once at a time.
// Invariant: only vectors are kept, never a failure or a refusal; who waits for another's call that fails asks by itself; a text
// that was asked for and the same text to be found are two.
import { LruCache } from "../base/lru-cache.ts";
import { untilAborted } from "../base/until-aborted.ts";
import type { EmbedOptions, GuardedEmbedder, Vector } from "./embedder.ts";

/** What another call gave for a text; undefined when that call failed. */
type Awaited = Vector | undefined;

/** The embedder with a memory of so many vectors; 0 only shares the calls that are under way. Vectors that it has are given out during an outage, too. */
export function cacheVectors(embedder: GuardedEmbedder, capacity: number): GuardedEmbedder {
  const kept = new LruCache<string, readonly number[]>(capacity);
  const underWay = new Map<string, Promise<Awaited>>();

  /** Asks for texts that nobody else asks for now, in one call. */
  async function ask(texts: readonly string[], options: EmbedOptions): Promise<readonly Vector[]> {
    const asked = embedder.embed(texts, options);
    const settled: Promise<readonly Awaited[]> = asked.catch(() => texts.map(() => undefined));
    for (const [place, text] of texts.entries()) {
      underWay.set(
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
      for (const text of texts) underWay.delete(keyOf(text, options));
    }
  }

  /** Puts the vectors of these texts into `found`. */
  async function find(texts: readonly string[], found: Map<string, Vector>, options: EmbedOptions): Promise<void> {
    const { signal } = options;
    const others = new Map<string, Promise<Awaited>>();
    const own: string[] = [];
    for (const text of texts) {
      const vector = kept.get(keyOf(text, options));
      const other = underWay.get(keyOf(text, options));
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
