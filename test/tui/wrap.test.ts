// Text as rows of a screen: widths, breaks, and removed control sequences.
import fc from "fast-check";
import { editorOf } from "../../src/surfaces/terminal/input/line-editor.ts";
import { promptRows } from "../../src/surfaces/terminal/rows/prompt-rows.ts";
import { rowText, rowWidth, span } from "../../src/surfaces/terminal/rows/row.ts";
import { screenText, truncateRow, wrapSpans, wrapText } from "../../src/surfaces/terminal/rows/wrap.ts";

const texts = (text: string, width: number): readonly string[] => wrapText(text, "plain", { width }).map(rowText);

test.each([
  ["breaks at words", "the quick brown fox", 10, ["the quick", "brown fox"]],
  ["breaks a long word", "abcdefghij", 4, ["abcd", "efgh", "ij"]],
  ["keeps blank lines", "a\n\nb", 10, ["a", "", "b"]],
  ["counts wide characters twice", "日本語テ", 5, ["日本", "語テ"]],
  ["breaks between wide characters", "- 日本語", 6, ["- 日本", "語"]],
  ["keeps leading spaces of a line", "  x yy", 10, ["  x yy"]],
  ["never splits a grapheme", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3, ["👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"]],
  [
    "splits a cluster that is wider than two columns",
    "\u{1d158}\u{1d165}\u{1d16e}",
    2,
    ["\u{1d158}\u{1d165}", "\u{1d16e}"],
  ],
  ["gives one row for nothing", "", 10, [""]],
])("wrapText %s", (_title, text, width, expected) => {
  expect(texts(text, width)).toEqual(expected);
});

const room = 12;

test.each([
  ["between words", "one two three four", 17, [["> one two ", "  three four"], { x: 11, y: 1 }]],
  ["with the cursor in the word that moves", "one two three", 9, [["> one two ", "  three"], { x: 3, y: 1 }]],
  ["at a space, which is not drawn", "twelve chars next", 13, [["> twelve chars", "  next"], { x: 2, y: 1 }]],
  ["within a word that is longer than the line", "abcdefghijklmno", 15, [["> abcdefghijkl", "  mno"], { x: 5, y: 1 }]],
  ["between wide characters", "a 日本語テキスト", 9, [["> a 日本語テキ", "  スト"], { x: 6, y: 1 }]],
  ["after a line break", "one\ntwo three four", 18, [["> one", "  two three ", "  four"], { x: 6, y: 2 }]],
])("the prompt breaks %s", (_title, text, cursor, expected) => {
  const prompt = promptRows({ ...editorOf(text), cursor }, { width: room + 3, max: 10 });
  expect([prompt.rows.map(rowText), prompt.cursor]).toEqual(expected);
});

test("wrapSpans keeps the tones across breaks and indents the rows", () => {
  const rows = wrapSpans([span("one two", "strong"), span(" three")], { width: 9, lead: [span("> ", "accent")] });
  expect(rows).toEqual([
    [span("> ", "accent"), span("one two", "strong")],
    [span("  "), span("three")],
  ]);
});

test("no row is wider than the width, and no character is lost", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), fc.integer({ min: 2, max: 40 }), (text, width) => {
      const rows = wrapText(text, "plain", { width });
      const kept = rows.map(rowText).join("").replaceAll(/ /g, "");
      return rows.every((row) => rowWidth(row) <= width) && kept === screenText(text).replaceAll(/[ \n]/g, "");
    }),
  );
});

test("truncateRow marks the omission and stays within the width", () => {
  expect(rowText(truncateRow([span("abcdef")], 4))).toBe("abc…");
  expect(rowText(truncateRow([span("abcd")], 4))).toBe("abcd");
  expect(rowText(truncateRow([span("日本語")], 4))).toBe("日…");
});

test("escape sequences and tabs are removed", () => {
  expect(texts("\u001b[31mred\u001b[0m\tx\u001b]0;title\u0007\u009b2J", 40)).toEqual(["red  x"]);
});
