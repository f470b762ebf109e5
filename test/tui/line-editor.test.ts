// The line editor, which is pure: each edit by graphemes, in one line and in several.
import fc from "fast-check";
import {
  type Editor,
  type EditorCommand,
  editorCommands,
  editorOf,
  hasTrailingBackslash,
  insertText,
  moveLine,
} from "../../src/surfaces/terminal/input/line-editor.ts";
import { graphemesOf } from "../../src/surfaces/terminal/screen/text-width.ts";

/** `|` is the cursor. */
const at = (marked: string): Editor => ({ text: marked.replace("|", ""), cursor: marked.indexOf("|"), pastes: {} });

function marked({ text, cursor }: Editor): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

const family = "👩‍👩‍👧‍👦";

test.each<[EditorCommand, string, string]>([
  ["left", "ab|", "a|b"],
  ["left", "|ab", "|ab"],
  ["left", `a${family}|b`, `a|${family}b`],
  ["right", `a|${family}b`, `a${family}|b`],
  ["right", "ab|", "ab|"],
  ["word-left", "one two  |", "one |two  "],
  ["word-left", "one |two", "|one two"],
  ["word-right", "|one two", "one| two"],
  ["word-right", "one| two", "one two|"],
  ["line-start", "one\ntw|o", "one\n|two"],
  ["line-end", "o|ne\ntwo", "one|\ntwo"],
  ["delete-left", `a${family}|`, "a|"],
  ["delete-left", "e\u0301|", "|"],
  ["delete-left", "|a", "|a"],
  ["delete-right", `|${family}a`, "|a"],
  ["delete-word-left", "one two |three", "one |three"],
  ["delete-word-right", "one| two three", "one| three"],
  ["delete-to-line-start", "one\ntwo|three", "one\n|three"],
  ["delete-to-line-end", "o|ne\ntwo", "o|\ntwo"],
  ["delete-to-line-end", "one|\ntwo", "one|two"],
  ["newline", "a|b", "a\n|b"],
])("%s of %j gives %j", (command, before, after) => {
  expect(marked(editorCommands[command](at(before)))).toBe(after);
});

test("insertText puts the cursor after the inserted text, even if it joins with the following text", () => {
  expect(marked(insertText(at("a|c"), "b"))).toBe("ab|c");
  expect(marked(insertText(at("|\u0301"), "e"))).toBe("e\u0301|");
});

test.each([
  ["up", "abc\nde|f", "ab|c\ndef"],
  ["up", "a\nlonger|", "a|\nlonger"],
  ["down", "ab|c\nd", "abc\nd|"],
  ["down", "日本|語\nabc", "日本語\nab|c"],
] as const)("moveLine %s of %j gives %j", (direction, before, after) => {
  const moved = moveLine(at(before), direction);
  expect(moved === null ? null : marked(moved)).toBe(after);
});

test("moveLine is null at the first and last line", () => {
  expect(moveLine(at("ab|c\nd"), "up")).toBeNull();
  expect(moveLine(at("abc\n|d"), "down")).toBeNull();
});

test("a backslash at the very end inserts a new line", () => {
  expect(hasTrailingBackslash(editorOf("a\\"))).toBe(true);
  expect(hasTrailingBackslash(at("a\\|b"))).toBe(false);
});

test("whatever the keys, the cursor stays between graphemes", () => {
  const commands = fc.constantFrom(...(Object.keys(editorCommands) as EditorCommand[]));
  const keys = fc.array(
    fc.oneof(
      commands,
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 3 }).map((text) => ({ text })),
    ),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(keys, (presses) => {
      const end = presses.reduce<Editor>(
        (editor, press) => (typeof press === "string" ? editorCommands[press](editor) : insertText(editor, press.text)),
        editorOf(""),
      );
      const boundaries = new Set([0]);
      let offset = 0;
      for (const grapheme of graphemesOf(end.text)) boundaries.add((offset += grapheme.length));
      return boundaries.has(end.cursor);
    }),
  );
});
