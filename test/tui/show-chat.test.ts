// The terminal while a chat is shown and afterwards: its modes, what it is asked, and the order of what remains on it.
import type { ChatSession } from "../../src/surfaces/terminal/chat-session.ts";
import { createChat } from "../../src/surfaces/terminal/create-chat.ts";
import { showChat } from "../../src/surfaces/terminal/show-chat.tsx";
import {
  createFakeAgent,
  createFakeRuntime,
  type FakeAgentOptions,
  stepStart,
  turnEnd,
} from "../support/fake-agent.ts";
import { createFakeTerminal, type FakeTerminal } from "../support/fake-terminal.ts";

const size = { columns: 80, rows: 24 };
const settle = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 50));
const initialModes = ["?7", "?25"];

interface Scene extends FakeTerminal {
  readonly shown: Promise<void>;
  readonly abort: AbortController;
  until(text: string): Promise<void>;
}

interface SceneSession extends Partial<ChatSession> {
  /** Text that was typed before the chat has turned on raw mode. */
  readonly typedBefore?: string;
}

async function open(options: FakeAgentOptions = {}, { typedBefore, ...session }: SceneSession = {}): Promise<Scene> {
  const terminal = createFakeTerminal(size);
  const abort = new AbortController();
  const agent = createFakeAgent(options);
  const all = { runtime: createFakeRuntime(), agent, version: "0.1.0", color: false, ...session };
  const shown = showChat(createChat(all, size), { ...all, signal: abort.signal }, terminal);
  shown.catch(() => undefined);
  if (typedBefore !== undefined) terminal.type(typedBefore);
  await settle();
  return {
    ...terminal,
    shown,
    abort,
    async until(text) {
      for (let tries = 0; tries < 100 && !terminal.model.everything().join("\n").includes(text); tries += 1)
        await settle();
      expect(terminal.model.everything().join("\n")).toContain(text);
    },
  };
}

it("turns modes on, and off again when the user leaves", async () => {
  const { model, isRaw, type, shown } = await open({}, { hasTitle: true });
  expect([model.modes(), isRaw()]).toEqual([["?7", "?25", "?2004"], true]);
  type("/exit\r");
  await shown;
  expect([model.modes(), isRaw()]).toEqual([initialModes, false]);
  expect(model.everything().at(-1)).toBe("> /exit");
});

it("sends a line that was typed with its Enter before the chat was drawn", async () => {
  const { model, shown } = await open({}, { typedBefore: "/exit\n" });
  await shown;
  expect(model.everything().at(-1)).toBe("> /exit");
});

it("takes a line feed that comes alone for Ctrl+J, and one after a carriage return for a line break", async () => {
  const { until, abort, shown } = await open({}, { typedBefore: "\n" });
  const other = await open({}, { typedBefore: "one\r\ntwo" });
  await other.until("two");
  await until(">");
  expect(other.model.screen().join("\n")).toMatch(/> one\n {2}two/u);
  for (const scene of [{ abort, shown }, other]) {
    scene.abort.abort();
    await expect(scene.shown).rejects.toThrow();
  }
});

it("turns them off after an abort, whose reason it throws, and leaves the last frame", async () => {
  const { model, isRaw, abort, shown } = await open();
  abort.abort(new Error("another process"));
  await expect(shown).rejects.toThrow("another process");
  expect([model.modes(), isRaw()]).toEqual([initialModes, false]);
  expect(model.everything().at(-1)).toContain("Enter send");
});

it("turns them off when the process exits, and not again later", async () => {
  const { model, written, type, shown } = await open();
  const listeners = process.listeners("exit").length;
  process.listeners("exit").at(-1)?.(1);
  expect(model.modes()).toEqual(initialModes);
  type("/exit\r");
  await shown;
  expect(process.listeners("exit")).toHaveLength(listeners - 1);
  expect(written().endsWith("\u001b[?2004l")).toBe(true);
});

it("shows the cursor again that a dialog has hidden", async () => {
  const { model, type, until, abort, shown } = await open();
  type("/memory\r");
  await until("[persona]");
  expect(model.cursor().isVisible).toBe(false);
  abort.abort();
  await expect(shown).rejects.toThrow();
  expect(model.cursor().isVisible).toBe(true);
});

it("uses the keyboard protocol of a terminal that has it, once, and ends it", async () => {
  const { written, type, shown } = await open();
  expect(written()).toContain("\u001b[?u");
  expect(written()).not.toContain("\u001b[>1u");
  type("\u001b[?0u\u001b[?0u");
  type("/exit\u001b[13u");
  await shown;
  expect(written().split("\u001b[>1u")).toHaveLength(2);
  expect(written().split("\u001b[<u")).toHaveLength(2);
});

it.each([
  ["with colours", { color: true }, true],
  ["without colours", { color: false }, false],
])("asks for the background only %s", async (_title, session, isAsked) => {
  const { written, type, shown, model } = await open({}, session);
  type("\u001b]11;rgb:ffff/ffff/ffff\u0007");
  await settle();
  expect(written().includes("\u001b]11;?")).toBe(isAsked);
  expect(model.screen().join("\n")).not.toContain("rgb");
  type("\u0004");
  await shown;
});

it("/exit during a reply is shown below what was said of it", async () => {
  const turns = [[stepStart(), { type: "text-delta" as const, step: 1, text: "half an answer" }, 5_000, turnEnd()]];
  const { model, type, until, shown } = await open({ turns });
  type("hello\r");
  await until("● half an answer");
  type("/exit\r");
  await shown;
  const rows = model.everything().filter((row) => row !== "");
  const places = ["> hello", "● half an answer", "> /exit"].map((row) => rows.indexOf(row));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((one, other) => one - other));
  expect(rows.at(-1)).toBe("> /exit");
});

it("Ctrl+L draws the same screen again", async () => {
  const { model, type, written, shown } = await open();
  const before = model.screen();
  const { length } = written();
  type("\u000c");
  await settle();
  await settle();
  expect(written().slice(length)).toContain("\u001b[6n");
  expect(written().slice(length)).toContain("Palimpsest");
  expect(model.screen()).toEqual(before);
  type("\u0004");
  await shown;
});
