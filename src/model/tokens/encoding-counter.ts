// Exact counts with OpenAI's tokenizers (tiktoken, WASM).
// Invariant: one encoder per encoding and process, because each takes some 70 MB, which only `free` releases, and 250
// ms to load.
import { createRequire } from "node:module";
import type { get_encoding as LoadEncoding, Tiktoken } from "tiktoken";
import { splitRuns } from "./split-runs.ts";
import type { TokenCounter } from "./token-counter.ts";

export type EncodingName = "o200k_base" | "cl100k_base";

const require = createRequire(import.meta.url);
const encoders = new Map<EncodingName, Tiktoken>();

/**
 * Counts as the encoding does, special tokens as plain text; runs of 400 letters or symbols and more are split first.
 */
export function createEncodingCounter(encoding: EncodingName): Pick<TokenCounter, "count" | "exact" | "prepare"> {
  return {
    exact: true,
    prepare() {
      encoderOf(encoding);
    },
    count(text) {
      if (text === "") return 0;
      const encoder = encoderOf(encoding);
      return splitRuns(text.toWellFormed()).reduce((sum, piece) => sum + encoder.encode(piece, [], []).length, 0);
    },
  };
}

/** Whether the encoding is loaded. */
export function isEncodingLoaded(encoding: EncodingName): boolean {
  return encoders.has(encoding);
}

/** Releases the memory of all encoders; counters still work, and load them again. */
export function freeEncoders(): void {
  for (const encoder of encoders.values()) encoder.free();
  encoders.clear();
}

function encoderOf(encoding: EncodingName): Tiktoken {
  const loaded = encoders.get(encoding);
  if (loaded !== undefined) return loaded;
  // Counting is synchronous, and programs that never count for OpenAI should not load the WASM: so it is required on
  // demand.
  const tiktoken = require("tiktoken") as { readonly get_encoding: typeof LoadEncoding };
  const encoder = tiktoken.get_encoding(encoding);
  encoders.set(encoding, encoder);
  return encoder;
}
