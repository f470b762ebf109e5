// Keys as terminals send them, and their effects.
import { completed, matchingCommands } from "../../src/surfaces/terminal/input/completion.ts";
import { historyOf, recallInput, rememberInput } from "../../src/surfaces/terminal/input/input-history.ts";
import { editorOf } from "../../src/surfaces/terminal/input/line-editor.ts";
import type { Key } from "../../src/surfaces/terminal/keys/key.ts";
import { chordOf, commandFor, keybindings } from "../../src/surfaces/terminal/keys/keybindings.ts";

test.each<[string, string, Key, string]>([
  ["Enter", "", { return: true }, "submit"],
  ["Alt+Enter", "", { return: true, meta: true }, "newline"],
  ["Shift+Enter", "", { return: true, shift: true }, "newline"],
  ["Ctrl+J", "\n", {}, "newline"],
  ["Backspace", "", { backspace: true }, "delete-left"],
  ["Delete", "", { delete: true }, "delete-right"],
  ["Alt+Backspace", "", { backspace: true, meta: true }, "delete-word-left"],
  ["Esc", "", { escape: true }, "interrupt"],
  ["Ctrl+C", "c", { ctrl: true }, "clear-or-leave"],
  ["Alt+B", "b", { meta: true }, "word-left"],
  ["Ctrl+Left", "", { leftArrow: true, ctrl: true }, "word-left"],
])("%s acts as in the table", (_title, input, key, command) => {
  expect(commandFor(chordOf(input, key))).toBe(command);
});

test("letters type themselves", () => {
  expect(chordOf("B", {})).toBe("");
});

test("a chord is in the table once", () => {
  const chords = keybindings.map((binding) => binding.chord);
  expect(new Set(chords).size).toBe(chords.length);
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
  expect(completed({ editor: editorOf(typed), listing: null, offers: [] }, names)?.text ?? null).toBe(expected);
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
