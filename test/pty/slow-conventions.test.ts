// The conventions of the chat over 3 KB per second, one after the other in one chat: each shows what it shows on a fast one.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { bytesPerSecond, openSlowChat } from "./slow-chat.ts";
import { useScene } from "../support/use-scene.ts";

const enter = "\r";
const escape = "\u001b";
const shiftTab = "\u001b[Z";
const control = (letter: string): string => String.fromCodePoint(letter.codePointAt(0)! - 64);

// The row under the prompt, since Shift+Tab was pressed.
const hint = "approves memory edits (Shift+Tab)";

const chat = useScene(() => openSlowChat({ bytesPerSecond, env: { PALIMPSEST_SHELL_COMMANDS: "on" } }));
beforeAll(async () => {
  await mkdir(path.join(chat.home, "work", "letters"), { recursive: true });
  await writeFile(path.join(chat.home, "work", "letters", "harbour.md"), "A letter.\n");
});

/** Types, and waits until a text has reached the terminal. */
async function shows(keys: string, text: string): Promise<void> {
  chat.terminal.type(keys);
  await chat.terminal.until(text);
}

/** Types, and waits until a text has left the terminal. */
async function hides(keys: string, text: string): Promise<void> {
  chat.terminal.type(keys);
  await chat.terminal.untilGone(text);
}

test.each([
  ["! runs a shell command", `!printf ab; exit 3${enter}`, "exit code 3"],
  ["# keeps a fact", `# Ada sails on Sundays.${enter}`, "remembers this"],
  ["/undo reverts it", `/undo human${enter}`, "Reverted"],
  ["/remember keeps a fact", `/remember I have a cat.${enter}`, "I have a cat."],
  ["Shift+Tab approves memory edits", shiftTab, "approves calls that edit only memory"],
  ["Ctrl+V says what reads images", control("V"), "wl-paste"],
])("%s", async (_title, keys, text) => {
  await shows(keys, text);
});

test("@ finds a file below subfolders by its letters, and Tab completes it", async () => {
  await shows("read @hrbr", "work/letters/harbour.md");
  await shows("\t", "> read @work/letters/harbour.md");
  await hides(control("U"), "harbour.md");
});

test.each([
  ["/model lists models", `/model${enter}`, "Models for main"],
  ["/help has pages", `/help${enter}`, "Shift+Tab"],
  ["/memory shows core memory", `/memory${enter}`, "I have a cat."],
])("%s, and Esc returns to the prompt", async (_title, keys, text) => {
  await shows(keys, text);
  await chat.terminal.until("Esc close");
  await hides(escape, "Esc close");
  await chat.terminal.until(hint);
});

test("a reply shows its time, its tokens and its thoughts; a silent model is reported; /exit is below the reply that it ends", async () => {
  const { terminal, model } = chat;
  await shows(`hello${enter}`, "● Well");
  await terminal.until("replying…");
  model.think("A greeting deserves a question.");
  await shows(control("T"), "A greeting deserves a question.");
  await hides(control("T"), "A greeting deserves a question.");
  await terminal.until("no answer for");
  await shows(`/exit${enter}`, "continue with:");
  expect(terminal.screen()).toMatch(/● Well\n[^]*Interrupted[^]*\n> \/exit\n/u);
});
