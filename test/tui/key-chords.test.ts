// Keys as terminals send them, and their effects.
import { completed, matchingCommands } from "../../src/surfaces/terminal/input/completion.ts";
import {
  historyOf,
  recallInput,
  rememberDraft,
  rememberInput,
} from "../../src/surfaces/terminal/input/input-history.ts";
import { editorOf } from "../../src/surfaces/terminal/input/line-editor.ts";
import { createInputParser } from "../../src/surfaces/terminal/keys/input-parser.ts";
import { commandFor, keybindings } from "../../src/surfaces/terminal/keys/keybindings.ts";

test.each([
  ["Enter", "\r", "submit"],
  ["Alt+Enter", "\u001b\r", "newline"],
  ["Shift+Enter", "\u001b[13;2u", "newline"],
  ["Ctrl+J", "\n", "newline"],
  ["Backspace", "\u007f", "delete-left"],
  ["Delete", "\u001b[3~", "delete-right"],
  ["Alt+Backspace", "\u001b\u007f", "delete-word-left"],
  ["Esc", "\u001b[27u", "interrupt"],
  ["Ctrl+C", "\u0003", "clear-or-leave"],
  ["Alt+B", "\u001bb", "word-left"],
  ["Ctrl+Left", "\u001b[1;5D", "word-left"],
  ["a letter", "B", undefined],
])("%s acts as in the table", (_title, sent, command) => {
  const [input] = createInputParser().push(sent);
  expect(input?.type === "key" ? commandFor(input.chord) : null).toBe(command);
});

test("a chord is in the table once", () => {
  const chords = Object.values(keybindings).flat();
  expect(new Set<string>(chords).size).toBe(chords.length);
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

test("texts that were not sent stay in the history of another conversation, until they are sent", () => {
  const cleared = rememberDraft(historyOf(["one"]), "a long draft");
  expect(historyOf(["one", "/new"], cleared.unsent).entries).toEqual(["one", "/new", "a long draft"]);
  expect(historyOf(["one", "/new", "a long draft", "two"], cleared.unsent).entries.at(-1)).toBe("two");
  const recalled = recallInput(cleared, "the next draft", "back");
  const sent = rememberInput(recalled!.history, "/model demo");
  expect(sent.entries).toEqual(["one", "a long draft", "the next draft", "/model demo"]);
  expect(historyOf(["one", "/model demo"], sent.unsent).entries.slice(-2)).toEqual(["a long draft", "the next draft"]);
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
