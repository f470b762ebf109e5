// Texts cut by tokens: all of them, in order, and no character in two.
import fc from "fast-check";
import { splitByTokens, takeTokens } from "../../../src/context/cut-text.ts";
import { createTokenCounter } from "../../../src/tokens/create-token-counter.ts";

const counter = createTokenCounter("demo");
const count = (text: string): number => counter.count(text);

const odd: readonly (readonly [string, string])[] = [
  ["letters without a break", "a".repeat(20_000)],
  ["Chinese", "我喜欢帆船".repeat(500)],
  ["emoji", "👩‍👩‍👧‍👦🏴‍☠️".repeat(300)],
  ["a closing frame, signs of LIKE, NUL", `</human>%_\0`.repeat(300)],
  ["lone surrogates", "\uD800x\uDC00".repeat(300)],
  ["dense after sparse", `${" ".repeat(5000)}${"我".repeat(2000)}`],
];

test.each(odd)("%s: pieces are within bounds, and their concatenation is the text", (_name, text) => {
  const pieces = splitByTokens(text, 50, count);
  expect(pieces.join("")).toBe(text);
  expect(pieces.filter((piece) => count(piece) > 50)).toEqual([]);
  const taken = takeTokens(text, 50, count);
  expect(text.startsWith(taken)).toBe(true);
  expect(count(taken)).toBeLessThanOrEqual(50);
  expect(taken.length).toBeGreaterThan(0);
});

test("a million letters are cut in linear time", () => {
  const text = "a".repeat(1e6);
  const pieces = splitByTokens(text, 20_000, count);
  expect(pieces.join("")).toBe(text);
  expect(pieces.every((piece) => count(piece) <= 20_000)).toBe(true);
});

test("an empty text and a text that fits are not changed", () => {
  expect(splitByTokens("", 5, count)).toEqual([]);
  expect(splitByTokens("short", 5, count)).toEqual(["short"]);
  expect(takeTokens("short", 5, count)).toBe("short");
  expect(takeTokens("short text", 0, count)).toBe("");
});

test("surrogate pairs are never split, even if a single character exceeds the bound", () => {
  const perCharacter = (text: string): number => Array.from(text).length * 3;
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 20 }), (text, max) => {
      const pieces = splitByTokens(text, max, perCharacter);
      expect(pieces.join("")).toBe(text);
      const halves = pieces.slice(1).filter((piece, at) => {
        const before = pieces[at]?.at(-1) ?? "";
        return /[\uD800-\uDBFF]/u.test(before) && /[\uDC00-\uDFFF]/u.test(piece.charAt(0));
      });
      expect(halves).toEqual([]);
      expect(pieces.every((piece) => Array.from(piece).length === 1 || perCharacter(piece) <= max)).toBe(true);
      expect(text.startsWith(takeTokens(text, max, perCharacter))).toBe(true);
    }),
  );
});
