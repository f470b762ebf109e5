// An embedder whose vectors a test can reckon with: texts that share words are near, by the share of them.
import type { Embedder } from "../../src/model/embedding/embedder.ts";

export interface SharedWordsEmbedder extends Embedder {
  /** While it is down, every call throws. */
  isDown: boolean;
  /** A text that holds this is refused. */
  refuses: string | null;
  /** The texts of each call. */
  readonly calls: readonly (readonly string[])[];
}

export function createSharedWordsEmbedder(dimensions = 64): SharedWordsEmbedder {
  const calls: (readonly string[])[] = [];
  return {
    name: `test/words-${dimensions}`,
    dimensions,
    isDown: false,
    refuses: null,
    calls,
    async embed(texts) {
      calls.push(texts);
      if (this.isDown) throw new TypeError("out of order");
      return texts.map((text) =>
        this.refuses !== null && text.includes(this.refuses) ? null : wordVector(text, dimensions),
      );
    },
    async close() {},
  };
}

/** The sum of the words' own directions, of length 1. */
export function wordVector(text: string, dimensions: number): readonly number[] {
  const sum = Array.from<number>({ length: dimensions }).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]{1,40}/gu) ?? [text.slice(0, 40)]) {
    let state = 2166136261;
    for (let at = 0; at < word.length; at += 1) state = Math.imul(state ^ word.charCodeAt(at), 16777619);
    for (let place = 0; place < dimensions; place += 1) {
      state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5;
      sum[place] = (sum[place] as number) + (state >>> 0) / 2 ** 32 - 0.5;
    }
  }
  const length = Math.hypot(...sum);
  return sum.map((number) => number / length);
}
