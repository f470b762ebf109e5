// Long pastes: which are folded, their labels, and the complete text that is sent.
import {
  editorCommands,
  editorOf,
  emptyEditor,
  insertPaste,
  insertText,
  recalledEditor,
  typedText,
} from "../../src/surfaces/terminal/input/line-editor.ts";
import { promptRows } from "../../src/surfaces/terminal/rows/prompt-rows.ts";
import { rowText, rowWidth } from "../../src/surfaces/terminal/rows/row.ts";

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `row ${index}`).join("\n");
const shown = (editor: ReturnType<typeof editorOf>, width = 79): string =>
  promptRows(editor, { width, max: 10 }).rows.map(rowText).join("\n");

test.each([
  ["10 lines", lines(10), false],
  ["10 lines and a line end", `${lines(10)}\n`, false],
  ["11 lines", lines(11), true],
  ["2,000 characters", "a".repeat(2_000), false],
  ["2,001 characters", "a".repeat(2_001), true],
  ["2,000 emoji", "👍".repeat(2_000), false],
  ["a million characters", "a".repeat(1e6), true],
  ["CJK of a million", "漢".repeat(1e6), true],
])("a paste of %s: folded %p", (_title, pasted, isFolded) => {
  const editor = insertPaste(editorOf("see "), pasted);
  expect(editor.text.length === 5).toBe(isFolded);
  expect(typedText(editor)).toBe(`see ${pasted}`);
});

test("a paste is labelled with its lines, or with its characters if it has few lines", () => {
  expect(shown(insertPaste(emptyEditor, lines(120)))).toBe("> [pasted 120 lines]");
  expect(shown(insertPaste(emptyEditor, "a".repeat(2_345)))).toBe("> [pasted 2,345 characters]");
});

test("a paste is one unit for the keys", () => {
  const pasted = insertPaste(editorOf("ab"), lines(120));
  expect(editorCommands["delete-left"](pasted).text).toBe("ab");
  expect(typedText(insertText(editorCommands.left(pasted), "X"))).toBe(`abX${lines(120)}`);
  expect(editorCommands.right(editorCommands.left(pasted)).cursor).toBe(pasted.cursor);
});

test("two pastes stay separate, even after one is deleted", () => {
  const first = insertPaste(emptyEditor, lines(20));
  const both = insertPaste(insertText(first, " and "), lines(30));
  expect(typedText(both)).toBe(`${lines(20)} and ${lines(30)}`);
  const one = editorCommands["delete-right"](editorCommands["line-start"](both));
  expect(typedText(insertPaste(one, lines(40)))).toBe(`${lines(40)} and ${lines(30)}`);
});

test("the thirty-third paste is shown unfolded", () => {
  let editor = emptyEditor;
  for (let count = 0; count < 33; count += 1) editor = insertPaste(editor, `${lines(11)}\n`);
  expect(typedText(editor)).toBe(`${lines(11)}\n`.repeat(33));
  expect(editor.text.length).toBeGreaterThan(33);
});

test("placeholder characters of pastes cannot be typed or pasted", () => {
  const editor = insertPaste(insertText(insertPaste(emptyEditor, lines(11)), "a\ufdd0b"), "\ufdd0");
  expect(typedText(editor)).toBe(`${lines(11)}a\ufffdb\ufffd`);
});

test("a label that does not fit its line wraps, and the cursor is after it", () => {
  const { rows, cursor } = promptRows(insertPaste(emptyEditor, lines(120)), { width: 12, max: 10 });
  expect(rows.map(rowText).join("").replaceAll(/[> ]/gu, "")).toBe("[pasted120lines]");
  expect(Math.max(...rows.map(rowWidth))).toBeLessThan(12);
  expect(cursor).toEqual({ x: rowWidth(rows.at(-1) ?? []), y: rows.length - 1 });
});

test("a long earlier input is recalled as one unit", () => {
  expect(recalledEditor(lines(12)).text).toHaveLength(1);
  expect(recalledEditor("short").text).toBe("short");
});
