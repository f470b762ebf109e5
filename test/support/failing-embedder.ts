// An embedder whose outages a test begins and ends.
import type { Embedder } from "../../src/embedding/embedder.ts";

export interface FailingEmbedder extends Embedder {
  /** `up` makes vectors, `down` throws, `hanging` never answers, `narrow` makes vectors that are too short. */
  mode: "up" | "down" | "hanging" | "narrow";
  /** The texts of each call. */
  readonly calls: readonly (readonly string[])[];
  readonly isClosed: boolean;
}

export function createFailingEmbedder(mode: FailingEmbedder["mode"] = "up"): FailingEmbedder {
  const calls: (readonly string[])[] = [];
  return {
    mode,
    calls,
    isClosed: false,
    name: "test/failing",
    dimensions: 512,
    async embed(texts) {
      calls.push(texts);
      if (this.mode === "down") throw new TypeError("out of order");
      if (this.mode === "hanging") return new Promise(() => undefined);
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
