// An embedder whose outages a test begins and ends.
import { setTimeout as sleep } from "node:timers/promises";
import type { Embedder } from "../../src/model/embedding/embedder.ts";

export interface FailingEmbedder extends Embedder {
  /** `up` makes vectors, `down` throws, `hanging` does not answer while it lasts, `narrow` makes vectors that are too short. */
  mode: "up" | "down" | "hanging" | "narrow";
  /** It breaks at calls with a text that holds this. */
  poison: string | null;
  /** The texts of each call. */
  readonly calls: readonly (readonly string[])[];
  /** The texts that it gave vectors for. */
  readonly made: readonly string[];
  readonly isClosed: boolean;
}

export function createFailingEmbedder(mode: FailingEmbedder["mode"] = "up"): FailingEmbedder {
  const calls: (readonly string[])[] = [];
  const made: string[] = [];
  return {
    mode,
    poison: null,
    calls,
    made,
    isClosed: false,
    name: "test/failing",
    dimensions: 512,
    async embed(texts) {
      calls.push(texts);
      const { poison } = this;
      if (this.mode === "down") throw new TypeError("out of order");
      if (poison !== null && texts.some((text) => text.includes(poison))) throw new TypeError("cannot read that");
      while (this.mode === "hanging") await sleep(5, undefined, { ref: false });
      made.push(...texts);
      return texts.map((text) => unitVector(text, this.mode === "narrow" ? 3 : 512));
    },
    async close() {
      Object.assign(this, { isClosed: true });
    },
  };
}

/** The same direction for texts of the same length, and another for others. */
function unitVector(text: string, width: number): readonly number[] {
  return Array.from({ length: width }, (_, index) => (index === text.length % width ? 1 : 0));
}
