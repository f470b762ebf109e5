// Compares our widths with Ink's: a difference would wrap rows and break the layout.
import { createRequire } from "node:module";
import { graphemesOf, widthOf } from "../../src/tui/rows/text-width.ts";

// The module that Ink measures with, which is a dependency of Ink, not of this package.
const ink = createRequire(import.meta.url).resolve("ink");
const { default: stringWidth } = (await import(createRequire(ink).resolve("string-width"))) as {
  default: (text: string) => number;
};

const samples = [
  "plain text",
  "日本語テキスト",
  "한국어 문장",
  "중국 中文，。",
  "ｶﾀｶﾅ ﾞﾟ",
  "é è ñ combining e\u0301",
  "👩‍👩‍👧‍👦 🇵🇹 ✅ 👍🏽 1️⃣ ❤️ ☺ ⏺ ✎ ●",
  "नमस्ते ไทย العربية",
  "\u1100\u1161\u11a8 \u1100\u1100",
  "─│┌ ⠋⠙ … → ⎿ ✻",
];

test.each(samples)("%s is as wide as Ink measures it", (sample) => {
  expect(widthOf(sample)).toBe(stringWidth(sample));
});

test("every assigned code point of the first two planes is as wide as Ink measures it, or wider", () => {
  const narrower: string[] = [];
  for (let codePoint = 0x20; codePoint < 0x20000; codePoint += 1) {
    const text = String.fromCodePoint(codePoint);
    if (/[\p{Unassigned}\p{Surrogate}\p{Private_Use}]/u.test(text)) continue;
    if (widthOf(text) < stringWidth(text)) narrower.push(codePoint.toString(16));
  }
  expect(narrower).toEqual([]);
});

test("graphemesOf keeps what a reader sees as one character together", () => {
  expect(graphemesOf("a👩‍👩‍👧‍👦e\u0301")).toEqual(["a", "👩‍👩‍👧‍👦", "e\u0301"]);
});
