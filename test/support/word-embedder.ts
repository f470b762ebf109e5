// An embedder that needs no model: a text's words, each with a place of its own among the dimensions, by a hash.
// Invariant: the same text has the same vector in every process, and texts that share words are near to each other.
import { createHash } from "node:crypto";
import type { Embedder } from "../../src/model/embedding/embedder.ts";

export interface WordEmbedder extends Embedder {
  /** `down`: every call fails. */
  mode: "up" | "down";
  /** It refuses texts that hold this. */
  refuses: string | null;
  /** Every text that it made a vector of. */
  readonly made: string[];
  /** How many texts each call had. */
  readonly sizes: number[];
}

export function createWordEmbedder(name: string, dimensions: number): WordEmbedder {
  const made: string[] = [];
  const sizes: number[] = [];
  return {
    name,
    dimensions,
    mode: "up",
    refuses: null,
    made,
    sizes,
    async embed(texts) {
      if (this.mode === "down") throw new TypeError("out of order");
      sizes.push(texts.length);
      const { refuses } = this;
      return texts.map((text) => {
        if (refuses !== null && text.includes(refuses)) return null;
        made.push(text);
        return vectorOf(text, { name, dimensions });
      });
    },
    close: async () => undefined,
  };
}

/** As the embedder makes it. */
export function vectorOf(text: string, { name, dimensions }: Pick<Embedder, "name" | "dimensions">): readonly number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["nothing"]) {
    const digest = createHash("sha256").update(`${name} ${word}`).digest();
    for (let place = 0; place < 4; place += 1) {
      const at = digest.readUInt32BE(place * 4) % dimensions;
      vector[at] = (vector[at] ?? 0) + (digest[16 + place]! % 2 === 0 ? 1 : -1);
    }
  }
  const length = Math.hypot(...vector);
  if (length === 0) vector[0] = 1;
  return vector.map((number) => number / (length || 1));
}
