// Keys as terminals send them, and their effects.
import type { Key } from "ink";
import { completed, matchingCommands } from "../../src/tui/input/completion.ts";
import { historyOf, recallInput, rememberInput } from "../../src/tui/input/input-history.ts";
import { dropUnknownKeys } from "../../src/tui/keys/key-stream.ts";
import { editorOf } from "../../src/tui/input/line-editor.ts";
import { chordOf, commandFor, keybindings } from "../../src/tui/keys/keybindings.ts";

const noKey: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
};

test.each<[string, string, Partial<Key>, string]>([
  ["Enter", "\r", { return: true }, "submit"],
  ["Alt+Enter", "\r", { return: true, meta: true }, "newline"],
  ["Shift+Enter", "\r", { return: true, shift: true }, "newline"],
  ["Shift+Enter by modifyOtherKeys", "[27;2;13~", {}, "newline"],
  ["Ctrl+J", "\n", {}, "newline"],
  ["Backspace, which Ink calls delete", "", { delete: true }, "delete-left"],
  ["Alt+Backspace", "", { delete: true, meta: true }, "delete-word-left"],
  ["Esc", "", { escape: true, meta: true }, "interrupt"],
  ["Ctrl+C", "c", { ctrl: true }, "clear-or-leave"],
  ["Alt+B", "b", { meta: true }, "word-left"],
  ["Ctrl+Left", "", { leftArrow: true, ctrl: true }, "word-left"],
])("%s acts as in the table", (_title, input, key, command) => {
  expect(commandFor(chordOf(input, { ...noKey, ...key }))).toBe(command);
});

test("letters type themselves", () => {
  expect(chordOf("B", { ...noKey, shift: true })).toBe("");
});

test("a chord is in the table once", () => {
  const chords = keybindings.map((binding) => binding.chord);
  expect(new Set(chords).size).toBe(chords.length);
});

test.each([
  ["Ctrl+F1", "\u001b[1;5P", ""],
  ["Shift+F13", "\u001b[25;5~", ""],
  ["an old xterm's Ctrl+F1", "\u001bO5P", ""],
  ["Ctrl+Left", "\u001b[1;5D", "\u001b[1;5D"],
  ["a paste mark", "\u001b[200~x\u001b[201~", "\u001b[200~x\u001b[201~"],
  ["Shift+Enter", "\u001b[27;2;13~\u001b[13;2u", "\u001b[27;2;13~\u001b[13;2u"],
  ["text", "[1;5P", "[1;5P"],
])("dropUnknownKeys on %s", (_title, chunk, expected) => {
  expect(dropUnknownKeys(chunk)).toBe(expected);
});

const names = ["memory", "retry", "resume"].map((name) => ({ name, usage: `/${name}`, summary: "" }));

test.each([
  ["/m", "/memory "],
  ["/r", "/re"],
  ["/re", "/retry "],
  ["/x", null],
  ["hello", null],
  ["/memory x", null],
])("Tab after %j gives %j", (typed, expected) => {
  expect(completed({ editor: editorOf(typed), listing: null }, names)?.text ?? null).toBe(expected);
});

test("a slash alone matches every command", () => {
  expect(matchingCommands("/", names)).toHaveLength(3);
});

test("history goes back to the oldest, forward to the draft, and contains repeats once", () => {
  const history = rememberInput(historyOf(["one", "two"]), "two");
  const back = recallInput(history, "draft", "back");
  expect(back?.text).toBe("two");
  const further = recallInput(back!.history, back!.text, "back");
  expect(further?.text).toBe("one");
  expect(recallInput(further!.history, "one", "back")).toBeNull();
  const forth = recallInput(further!.history, "one", "forth");
  expect(recallInput(forth!.history, "two", "forth")?.text).toBe("draft");
});
