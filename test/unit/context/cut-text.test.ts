// Texts cut by tokens: within bounds, with a note of what is missing in the middle, and no character in two.
import fc from "fast-check";
import { cutMiddle, takeTokens } from "../../../src/context/cut-text.ts";
import { createTokenCounter } from "../../../src/model/tokens/create-token-counter.ts";

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

const note = / \[… (\d+) characters are left out here …\] /u;

test.each(odd)("%s: what is kept is within bounds, and the note counts the rest", (_name, text) => {
  const taken = takeTokens(text, 50, count);
  expect(text.startsWith(taken)).toBe(true);
  expect(count(taken)).toBeLessThanOrEqual(50);
  expect(taken.length).toBeGreaterThan(0);
  const cut = cutMiddle(text, { tokens: count(text), maxTokens: 50, count });
  expect(count(cut)).toBeLessThanOrEqual(50);
  const [head = "", left, tail = ""] = cut.split(note);
  expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
  expect(Array.from(head + tail).length + Number(left)).toBe(Array.from(text).length);
});

test("a million letters are cut in linear time", () => {
  const text = "a".repeat(1e6);
  const cut = cutMiddle(text, { tokens: count(text), maxTokens: 20_000, count });
  expect(count(cut)).toBeGreaterThan(15_000);
  expect(count(cut)).toBeLessThanOrEqual(20_000);
});

test("an empty text and a text that fits are not changed", () => {
  expect(cutMiddle("short", { tokens: 1, maxTokens: 5, count })).toBe("short");
  expect(takeTokens("short", 5, count)).toBe("short");
  expect(takeTokens("short text", 0, count)).toBe("");
});

test("surrogate pairs are never split", () => {
  const perCharacter = (text: string): number => Array.from(text).length * 3;
  const isHalved = (before: string, after: string) =>
    /[\uD800-\uDBFF]$/u.test(before) && /^[\uDC00-\uDFFF]/u.test(after);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 200 }), (text, maxTokens) => {
      const taken = takeTokens(text, maxTokens, perCharacter);
      expect(text.startsWith(taken)).toBe(true);
      expect(isHalved(taken, text.slice(taken.length))).toBe(false);
      const cut = cutMiddle(text, { tokens: perCharacter(text), maxTokens, count: perCharacter });
      const [head = "", left, tail = ""] = cut.split(note);
      if (left === undefined) return;
      expect(isHalved(head, text.slice(head.length))).toBe(false);
      expect(isHalved(text.slice(0, text.length - tail.length), tail)).toBe(false);
    }),
  );
});
