// Widths of texts: a difference from the terminal's would wrap rows or shift what is drawn after them.
import { graphemesOf, widthOf } from "../../../src/surfaces/terminal/screen/text-width.ts";

test.each([
  ["plain text", 10],
  ["日本語テキスト", 14],
  ["한국어 문장", 11],
  ["중국 中文，。", 13],
  ["ｶﾀｶﾅ ﾞﾟ", 7],
  ["é è ñ combining e\u0301", 17],
  ["👩‍👩‍👧‍👦 🇵🇹 ✅ 👍🏽 1️⃣ ❤️ ☺ ⏺ ✎ ●", 25],
  ["नमस्ते ไทย العربية", 15],
  ["\u1100\u1161\u11a8 \u1100\u1100", 7],
  ["─│┌ ⠋⠙ … → ⎿ ✻", 14],
  ["\u200b\u2060\ufe0f\u0301", 0],
])("%s is %d columns wide", (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test("graphemesOf keeps what a reader sees as one character together", () => {
  expect(graphemesOf("a👩‍👩‍👧‍👦e\u0301")).toEqual(["a", "👩‍👩‍👧‍👦", "e\u0301"]);
});

test("graphemesOf splits all pairs of characters as Intl.Segmenter does", () => {
  const segmenter = new Intl.Segmenter();
  const characters = Array.from("aé·─↑…\u0301\u200d\ufe0f\u00ad\u2028✻日\u1100\u1161👍");
  for (const text of characters.flatMap((one) => characters.map((other) => `${one}${other}`))) {
    expect(graphemesOf(text)).toEqual(Array.from(segmenter.segment(text), ({ segment }) => segment));
  }
});
