// Splitting loses no text, leaves prose whole and splits runs on which the tokenizer would take minutes.
import fc from "fast-check";
import { createTokenCounter } from "../../../../src/model/tokens/create-token-counter.ts";
import { splitRuns } from "../../../../src/model/tokens/encoding-counter.ts";

const prose = "The quick brown fox jumps over the lazy dog. ";
const units = ["a", "aA", " ", "\n", "-", "\u00a0", "\u0301!", "/\n", "漢字", "😀!", "\u3000"];

/** The longest match of the tokenizer's own pattern for words, signs and white space. */
function longestRun(pieces: readonly string[]): number {
  const runs = /[\p{L}\p{M}]+|[^\s\p{L}\p{N}]+[\r\n/]*|\s+/gu;
  return Math.max(...pieces.flatMap((piece) => [...piece.matchAll(runs)].map(([run]) => [...run].length)));
}

describe("splitRuns", () => {
  it("does not split prose of any length", () => {
    expect(splitRuns(prose.repeat(1000))).toHaveLength(1);
  });

  it.each(units)("cuts a run of %j", (unit) => {
    const text = prose + unit.repeat(2000) + prose;
    const pieces = splitRuns(text);
    expect(pieces.join("")).toBe(text);
    expect(longestRun(pieces)).toBeLessThanOrEqual(800);
  });

  it("splits no surrogate pair", () => {
    expect(splitRuns("😀".repeat(1001)).every((piece) => piece.isWellFormed())).toBe(true);
  });

  it("returns pieces whose concatenation is the text", () => {
    const part = fc.tuple(fc.constantFrom(...units, prose, "7"), fc.integer({ min: 1, max: 900 }));
    const text = fc
      .array(part, { maxLength: 6 })
      .map((parts) => parts.map(([unit, times]) => unit.repeat(times)).join(""));
    fc.assert(
      fc.property(text, (whole) => splitRuns(whole).join("") === whole && longestRun(splitRuns(whole)) <= 1300),
    );
  });

  it("makes counting a million letters feasible, close to the encoding's count", () => {
    // Eight letters a token; unsplit this takes a quarter of an hour.
    expect(createTokenCounter("openai/gpt-5").count("a".repeat(1_000_000))).toBe(130_000);
  });
});
