// Exact counts with OpenAI's tokenizers (tiktoken, WASM). Long unbroken runs are split first, because byte pair
// encoding takes quadratic time on them ('a' × 200,000: 36 s; split: 0.1 s).
// Invariant: one encoder per encoding and process, because each takes some 70 MB, which only `free` releases, and 250
// ms to load; the concatenated pieces equal the text, and no surrogate pair is split.
import { createRequire } from "node:module";
import type { get_encoding as LoadEncoding, Tiktoken } from "tiktoken";
import { appendAll } from "../../base/lists.ts";
import type { TokenCounter } from "./token-counter.ts";

export type EncodingName = "o200k_base" | "cl100k_base";

const require = createRequire(import.meta.url);
const encoders = new Map<EncodingName, Tiktoken>();

/**
 * Returns a counter that counts with the encoding, and counts special tokens as plain text. Runs of 400 or more letters
 * or symbols are split first.
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

export function isEncodingLoaded(encoding: EncodingName): boolean {
  return encoders.has(encoding);
}

/** Releases the memory of all encoders; counters still work, and load their encoder again. */
export function freeEncoders(): void {
  for (const encoder of encoders.values()) encoder.free();
  encoders.clear();
}

function encoderOf(encoding: EncodingName): Tiktoken {
  const loaded = encoders.get(encoding);
  if (loaded !== undefined) return loaded;
  // Counting is synchronous, and programs that never count for OpenAI should not load the WASM module. `require` loads it on
  // demand.
  const tiktoken = require("tiktoken") as { readonly get_encoding: typeof LoadEncoding };
  const encoder = tiktoken.get_encoding(encoding);
  encoders.set(encoding, encoder);
  return encoder;
}

// Matches everything that an encoding does not split before byte pair encoding: line ends with slashes, letters with marks,
// symbols with marks, white space; also digits. At most 400 code points per match, so that no match can exhaust the stack.
const runs = /[\r\n/]{2,400}|[\p{L}\p{M}]{1,400}|[^\s\p{L}\p{N}]{1,400}|\s{1,400}|\p{N}{1,400}/gu;
const runLimit = 400;
// Splits into pieces of 100: the cost of a piece is quadratic in its bytes, and so a million emoji take seconds, not a minute.
const hundreds = /.{1,100}/gsu;

// Matches only text that may contain a long run, so that prose, which has frequent spaces, is not scanned.
const maybeLong = /(?<! )[^ ]{400}|\s{400}/;

/**
 * Returns the text in pieces. A run of 400 code points of one kind (letters, digits, symbols or white space) is split
 * into pieces of 100. A text without such a run, such as prose, is one piece.
 */
export function splitRuns(text: string): readonly string[] {
  if (!maybeLong.test(text)) return [text];
  const pieces: string[] = [];
  let from = 0;
  for (const { 0: run, index } of text.matchAll(runs)) {
    const isLong = run.length >= runLimit && [...run].length === runLimit;
    if (!isLong) continue;
    if (from < index) pieces.push(text.slice(from, index));
    appendAll(pieces, run.match(hundreds) ?? []);
    from = index + run.length;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}
