// Vim's keys in the prompt: the text and the cursor after keys, and the modes in the chat.
import { editorCommands, editorOf } from "../../src/surfaces/terminal/input/line-editor.ts";
import { newVim, pressVim } from "../../src/surfaces/terminal/input/vim-keys.ts";
import { createChat } from "../../src/surfaces/terminal/create-chat.ts";
import { pressed, typed } from "../../src/surfaces/terminal/keys/key-codes.ts";
import { hintRow } from "../../src/surfaces/terminal/rows/status-rows.ts";
import { rowText } from "../../src/surfaces/terminal/rows/row.ts";
import { createFakeAgent, createFakeRuntime } from "../support/fake-agent.ts";

/** The text after keys in normal mode, with `|` before the character under the cursor, and the mode. */
function after(text: string, keys: string): string {
  let state = {
    vim: { ...newVim, mode: "normal" as "normal" | "insert" },
    editor: { ...editorOf(text.replace("|", "")), cursor: text.indexOf("|") },
  };
  for (const key of keys.split(/(<esc>|)/u).filter((one) => one !== "")) {
    const step = pressVim(state, key === "<esc>" ? pressed("escape") : typed(key), editorCommands);
    if (step !== null && typeof step === "object") state = step;
    else if (state.vim.mode === "insert") state = { ...state, editor: editorCommands.newline(state.editor) };
  }
  const { text: left, cursor } = state.editor;
  return `${left.slice(0, cursor)}|${left.slice(cursor)}${state.vim.mode === "insert" ? " i" : ""}`;
}

test.each([
  ["one two |three", "h", "one two| three"],
  ["one |two three", "lll", "one two| three"],
  ["|one two", "99l", "one tw|o"],
  ["|one, two three", "w", "one|, two three"],
  ["|one, two three", "3w", "one, two |three"],
  ["|one two", "e", "on|e two"],
  ["|one two three", "2e", "one tw|o three"],
  ["one two |three", "2b", "|one two three"],
  ["  one |two", "0", "|  one two"],
  ["  one |two", "^", "  |one two"],
  ["|one two\nthree", "$", "one tw|o\nthree"],
  ["one\ntwo\nt|hree", "gg", "|one\ntwo\nthree"],
  ["|one\ntwo", "G", "one\ntw|o"],
  ["|né👍 x", "l", "n|é👍 x"],
])("%j: the motion %s", (text, keys, expected) => {
  expect(after(text, keys)).toBe(expected);
});

test.each([
  ["one |two three", "x", "one |wo three"],
  ["one |two three", "3x", "one | three"],
  ["one |two three", "X", "one|two three"],
  ["one |two three", "dw", "one |three"],
  ["one |two three", "d2w", "one| "],
  ["one |two three", "D", "one| "],
  ["one |two three", "db", "|two three"],
  ["one |two three", "cw", "one | three i"],
  ["one t|wo three", "ciw", "one | three i"],
  ["one |two", "C", "one | i"],
  ["one\nt|wo\nthree", "dd", "one\n|three"],
  ["one\nt|wo", "dd", "on|e"],
  ["o|ne", "dd", "|"],
  ["one\nt|wo\nthree", "2dd", "on|e"],
  ["one\nt|wo\nthree", "cc", "one\n|\nthree i"],
  ["one |two", "rx", "one |xwo"],
  ["one |two three", "dwu", "one |two three"],
  ["one |two three", "xxuu", "one |two three"],
  ["|one two", "dwep", "twoone| "],
  ["|one two", "ywP", "one| one two"],
  ["o|ne\ntwo", "yyp", "one\n|one\ntwo"],
  ["one\nt|wo", "ddP", "|two\none"],
  ["one |two", "dz", "one |two"],
  ["one |two", "2<esc>x", "one |wo"],
])("%j: the command %s", (text, keys, expected) => {
  expect(after(text, keys)).toBe(expected);
});

test.each([
  ["one| two", "i", "one| two i"],
  ["on|e two", "a", "one| two i"],
  ["  one t|wo", "I", "  |one two i"],
  ["o|ne\ntwo", "A", "one|\ntwo i"],
  ["o|ne\ntwo", "o", "one\n|\ntwo i"],
  ["one\nt|wo", "O", "one\n|\ntwo i"],
  ["one| two", "i<esc>", "on|e two"],
])("%j: %s begins to insert", (text, keys, expected) => {
  expect(after(text, keys)).toBe(expected);
});

test("keys without a meaning in vim, and all keys while inserting, keep their usual one", () => {
  const normal = { vim: { ...newVim, mode: "normal" as const }, editor: editorOf("one") };
  expect(pressVim(normal, { chord: "ctrl+r", text: "" }, editorCommands)).toBeNull();
  expect(pressVim(normal, { chord: "escape", text: "" }, editorCommands)).toBeNull();
  expect(pressVim(normal, { chord: "", text: "k" }, editorCommands)).toBe("up");
  expect(pressVim(normal, { chord: "", text: "j" }, editorCommands)).toBe("down");
  const insert = { vim: newVim, editor: editorOf("one") };
  expect(pressVim(insert, { chord: "", text: "x" }, editorCommands)).toBeNull();
  expect(pressVim({ ...insert, editor: editorOf("") }, { chord: "escape", text: "" }, editorCommands)).toBeNull();
});

test("the chat shows the normal mode, and begins each prompt in insert mode", async () => {
  const agent = createFakeAgent({});
  const session = { runtime: createFakeRuntime(), agent, version: "0", color: false, editorKeys: "vim" } as const;
  const chat = createChat(session, { columns: 80, rows: 24 });
  for (let tries = 0; tries < 100 && chat.getState().vim === null; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  chat.handleKey(typed("hello world"));
  chat.handleKey(pressed("escape"));
  expect(rowText(hintRow(chat.getState(), 79))).toMatch(/^NORMAL · Enter send/u);
  chat.handleKey(typed("b"));
  chat.handleKey(typed("D"));
  expect(chat.getState().editor.text).toBe("hello ");
  chat.handleKey(pressed("enter"));
  expect(agent.sent).toEqual([]);
  expect(chat.getState().vim?.mode).toBe("insert");
  expect(rowText(hintRow(chat.getState(), 79))).not.toContain("NORMAL");
});
