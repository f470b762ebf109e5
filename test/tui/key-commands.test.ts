// Keys beyond editing: send now, suspend and edit, file suggestions, and the queue after an interruption.
import { pressed, typed } from "../../src/surfaces/terminal/keys/key-codes.ts";
import { RequestError } from "../../src/base/errors.ts";
import type { ChatHost } from "../../src/surfaces/terminal/chat-host.ts";
import { type Chat, createChat } from "../../src/surfaces/terminal/create-chat.ts";
import { rowText } from "../../src/surfaces/terminal/rows/row.ts";
import { typedText } from "../../src/surfaces/terminal/input/line-editor.ts";
import {
  createFakeAgent,
  createFakeRuntime,
  type FakeAgent,
  replyScript,
  storedMessage,
  turnEnd,
} from "../support/fake-agent.ts";

const settle = (milliseconds = 30): Promise<void> => new Promise((resolve) => void setTimeout(resolve, milliseconds));

interface Opened {
  readonly chat: Chat;
  readonly agent: FakeAgent;
  readonly kept: readonly string[];
  say(text: string): void;
}

function open(host: Partial<ChatHost> = {}, turns: Parameters<typeof createFakeAgent>[0] = {}): Opened {
  const agent = createFakeAgent(turns);
  const kept: string[] = [];
  const whole: ChatHost = {
    suspend: async () => undefined,
    edit: async (text) => ({ type: "edited", text }),
    inputs: [],
    async keepInput(input) {
      kept.push(input);
      return null;
    },
    listModels: async () => ({ offers: [], notes: [] }),
    keepMcpTrust: async () => "/data/config.json",
    openAddress: async () => false,
    readClipboardImage: async () => ({ type: "none", reason: "No clipboard." }),
    listFolder: async () => [],
    listPaths: async () => [],
    findFile: async () => null,
    watchLog: () => undefined,
    listCommands: async () => [],
    ...host,
  };
  const runtime = {
    ...createFakeRuntime({ open: () => agent }),
    turns: { ...createFakeRuntime().turns, find: async () => ({ state: "waiting" }) as never },
    files: {
      describe: async () => ({ name: "notes.md", kind: "document" as const, mediaType: "text/markdown", bytes: 12 }),
    },
  };
  const session = { runtime, agent, version: "0.1.0", color: false, host: whole };
  const chat = createChat(session, { columns: 80, rows: 24 });
  return {
    chat,
    agent,
    kept,
    say(text) {
      chat.handleKey(typed(text));
      chat.handleKey(pressed("enter"));
    },
  };
}

const slow = { turns: [[5_000, ...replyScript("never said")], replyScript("ok"), replyScript("ok")] };

test("Ctrl+S interrupts and sends at once, before waiting inputs", async () => {
  const { chat, agent, say } = open({}, slow);
  say("first");
  await settle();
  say("second");
  chat.handleKey(typed("now"));
  chat.handleKey(pressed("ctrl+s"));
  await settle(200);
  expect(agent.sent).toEqual(["first", "now", "second"]);
  expect(chat.getState().queue).toEqual([]);
});

test("Enter that arrives with the next text or key sends; lines that arrive together are a paste", async () => {
  const { chat, agent } = open({}, slow);
  chat.handleKey(typed("first"));
  chat.handleKey(typed("\rsecond"));
  await settle();
  expect([agent.sent, chat.getState().editor.text]).toEqual([["first"], "second"]);
  chat.handleKey(typed(" a\rb"));
  expect(chat.getState().editor.text).toBe("second a\nb");
  chat.handleKey(typed("{\r\n\tc"));
  chat.handleKey(typed("d\r\t\r\te"));
  expect(chat.getState().editor.text).toBe("second a\nb{\n\tcd\n\t\n\te");
  chat.handleKey(typed("f\r\u0001third"));
  expect(chat.getState()).toMatchObject({ queue: ["second a\nb{\n\tcd\n\t\n\tef"], editor: { text: "third" } });
});

test("a command that has to wait for the end of the turn says so", async () => {
  const { chat, say } = open({}, slow);
  say("first");
  await settle();
  say("a message");
  expect(chat.getState().hint).toBeNull();
  say("/model");
  expect(chat.getState().hint).toBe("/model waits for the end of the turn. Ctrl+S interrupts the turn.");
});

test("a message ends the wait for the reply of another agent, and is sent", async () => {
  const waits = [...replyScript("Asked.").slice(0, -1), { ...turnEnd(), stopReason: "awaiting-reply" as const }];
  const { chat, agent, say } = open({}, { turns: [waits, replyScript("ok")] });
  Object.assign(agent, { events: async function* () {} });
  say("ask Ben");
  await settle(100);
  say("never mind");
  await settle(200);
  expect(agent.sent).toEqual(["ask Ben", "never mind"]);
  expect([chat.getState().activity, chat.getState().queue]).toEqual([null, []]);
});

test("a message after an interrupted wait is not interrupted by the next one", async () => {
  const waits = [...replyScript("Asked.").slice(0, -1), { ...turnEnd(), stopReason: "awaiting-reply" as const }];
  const { chat, agent, say } = open({}, { turns: [waits, [300, ...replyScript("one")], replyScript("two")] });
  Object.assign(agent, { events: async function* () {} });
  say("ask Ben");
  await settle(100);
  chat.handleKey(pressed("escape"));
  await settle(100);
  say("first");
  await settle();
  say("second");
  expect(chat.getState().queue).toEqual(["second"]);
  await settle(700);
  expect(agent.sent).toEqual(["ask Ben", "first", "second"]);
  const replies = chat.getState().items.filter(({ kind }) => kind === "reply");
  expect(replies).toHaveLength(3);
});

test("Ctrl+S on an empty prompt sends waiting inputs; without any it changes nothing", async () => {
  const { chat, agent, say } = open({}, slow);
  say("first");
  await settle();
  chat.handleKey(pressed("ctrl+s"));
  await settle();
  expect(chat.getState().activity).not.toBeNull();
  say("second");
  chat.handleKey(pressed("ctrl+s"));
  await settle(200);
  expect(agent.sent).toEqual(["first", "second"]);
});

test("Esc sends nothing: waiting inputs return to the prompt", async () => {
  const { chat, agent, say } = open({}, slow);
  say("first");
  await settle();
  say("second");
  chat.handleKey(pressed("escape"));
  await settle(200);
  expect(agent.sent).toEqual(["first"]);
  expect(typedText(chat.getState().editor)).toBe("second\n");
  // What is typed after Esc is a line of its own, and the line break alone is not sent.
  say("third");
  await settle();
  expect(agent.sent).toEqual(["first", "second\nthird"]);
});

test("inputs that Esc has returned are sent without the line break for further text", async () => {
  const { chat, agent, say } = open({}, slow);
  say("first");
  await settle();
  say("second");
  chat.handleKey(pressed("escape"));
  await settle(200);
  chat.handleKey(pressed("enter"));
  await settle();
  expect(agent.sent).toEqual(["first", "second"]);
});

test("Up on an empty prompt takes waiting inputs back, so that they are not sent twice", async () => {
  const { chat, say } = open({}, slow);
  for (const text of ["first", "second", "third"]) say(text);
  await settle();
  chat.handleKey(pressed("up"));
  expect([typedText(chat.getState().editor), chat.getState().queue]).toEqual(["second\nthird", []]);
});

test.each([
  ["/ctx", "/ctx"],
  ["/conte", "/context"],
  ["/memory", "/memory"],
  ["/", "/"],
])("Enter after %s runs %s: the first suggestion, unless the name is complete", async (typedName, sent) => {
  const { chat, kept, say } = open();
  say(typedName);
  await settle();
  expect([kept, chat.getState().editor.text]).toEqual([[sent], ""]);
});

test("Enter completes a command that needs an argument, and an arrow key chooses another suggestion", async () => {
  const { chat, kept, say } = open();
  say("/rem");
  expect(chat.getState().editor.text).toBe("/remember ");
  chat.handleKey(pressed("ctrl+c"));
  chat.handleKey(typed("/ex"));
  chat.handleKey(pressed("down"));
  chat.handleKey(pressed("enter"));
  await settle();
  expect(kept).toEqual(["/exit"]);
});

test("Esc clears the name of a command at once, another text when pressed again, and Up brings it back", async () => {
  const { chat } = open();
  const text = () => chat.getState().editor.text;
  chat.handleKey(typed("/mem"));
  chat.handleKey(pressed("escape"));
  expect(text()).toBe("");
  chat.handleKey(typed("a long thought"));
  chat.handleKey(pressed("escape"));
  expect([text(), chat.getState().hint]).toEqual(["a long thought", "Press Esc again to clear the text."]);
  chat.handleKey(pressed("escape"));
  expect(text()).toBe("");
  chat.handleKey(pressed("up"));
  expect(text()).toBe("a long thought");
  chat.handleKey(pressed("ctrl+c"));
  chat.handleKey(pressed("up"));
  expect(text()).toBe("a long thought");
});

test("a chat that is continued shows its last reply in full, and the messages before it shortened", () => {
  const long = "word ".repeat(400).trim();
  const messages = (["user", "assistant", "assistant"] as const).map((role, at) => storedMessage(role, long, at));
  const { chat } = open({}, { messages });
  const shown = chat
    .getState()
    .items.flatMap((item) => (item.kind === "user" || item.kind === "reply" ? [item.text] : []));
  expect(shown.map((text) => text.length)).toEqual([601, 601, long.length]);
});

test("a rewound message of many lines is unfolded in the prompt, a huge one folded", async () => {
  const before = [storedMessage("user", "hello"), storedMessage("assistant", "hello", 1)];
  for (const [lines, isFolded] of [
    [40, false],
    [4_000, true],
  ] as const) {
    const text = Array.from({ length: lines }, (_, at) => `row ${at}`).join("\n");
    const { chat } = open({}, { messages: [...before, storedMessage("user", text, 2)] });
    for (const key of ["escape", "escape"]) chat.handleKey(pressed(key));
    await settle();
    chat.handleKey(pressed("enter"));
    await settle();
    const { editor } = chat.getState();
    expect([typedText(editor), editor.text === text]).toEqual([text, !isFolded]);
  }
});

test("sent inputs are saved for later chats, and saved inputs can be recalled", async () => {
  const { chat, kept, say } = open({ inputs: ["of yesterday"] });
  say("today");
  await settle(100);
  expect(kept).toEqual(["today"]);
  chat.handleKey(pressed("up"));
  chat.handleKey(pressed("up"));
  expect(typedText(chat.getState().editor)).toBe("of yesterday");
});

test("an input that cannot be saved is reported", async () => {
  const { chat, say } = open({ keepInput: async () => "the disk is full" });
  say("/help");
  await settle();
  say("/help");
  await settle();
  const told = chat.getState().items.filter((item) => item.kind === "notice" && item.text.includes("the disk is full"));
  expect(told).toHaveLength(1);
});

test("Ctrl+G passes the whole text to the editor while nothing is drawn, and takes its result", async () => {
  const given: string[] = [];
  const { chat } = open({
    async edit(text) {
      expect(chat.getState().isAway).toBe(true);
      given.push(text);
      return { type: "edited", text: "changed" };
    },
  });
  const pasted = "row\n".repeat(30);
  chat.handlePaste(pasted);
  chat.handleKey(pressed("ctrl+g"));
  expect(chat.getState().isAway).toBe(true);
  await chat.takeErrand()?.();
  chat.redraw({ columns: 80, rows: 24 });
  expect(given).toEqual([pasted]);
  expect([chat.getState().isAway, typedText(chat.getState().editor)]).toEqual([false, "changed"]);
  expect(chat.takeErrand()).toBeNull();
});

test("inputs that were not sent, and return while the editor is open, stay in the prompt before its text", async () => {
  const failing = { turns: [[50, new RequestError("agent_busy", "busy")]] };
  const { chat, say } = open({ edit: () => settle(200).then(() => ({ type: "edited", text: "new" })) }, failing);
  say("first");
  await settle();
  say("second");
  chat.handleKey(typed("old"));
  chat.handleKey(pressed("ctrl+g"));
  await chat.takeErrand()?.();
  expect(typedText(chat.getState().editor)).toBe("first\nsecond\nnew");
});

test("the log of the runtime is shown as an item of the chat", () => {
  let log: (line: string) => void = () => undefined;
  const { chat } = open({ watchLog: (show) => void (log = show) });
  log("The embedder failed.");
  expect(chat.getState().items.at(-1)).toEqual({ kind: "notice", level: "note", text: "The embedder failed." });
});

test("a redraw before the terminal is handed over does not keep it", () => {
  const { chat } = open();
  chat.handleKey(pressed("ctrl+g"));
  chat.redraw({ columns: 80, rows: 24 });
  expect(chat.getState().isAway).toBe(true);
});

test("a failing editor does not change the text, and the reason is shown", async () => {
  const { chat } = open({ edit: async () => ({ type: "failed", reason: "vi ended with code 1." }) });
  chat.handleKey(typed("typed"));
  chat.handleKey(pressed("ctrl+g"));
  await chat.takeErrand()?.();
  chat.redraw({ columns: 80, rows: 24 });
  expect(typedText(chat.getState().editor)).toBe("typed");
  expect(chat.getState().hint).toBe("vi ended with code 1. Your text is unchanged.");
});

test("without a host, keys that need one report it and the chat stays", () => {
  const session = { runtime: createFakeRuntime(), agent: createFakeAgent(), version: "0.1.0", color: false };
  const chat = createChat(session, { columns: 80, rows: 24 });
  chat.handleKey(pressed("ctrl+z"));
  expect([chat.getState().isAway, chat.getState().hint]).toEqual([
    false,
    "Not available: this chat cannot start other programs.",
  ]);
});

test("a file named in a message is attached, and any other word is plain text", async () => {
  const { agent, say } = open({ findFile: async (file) => (file === "notes.md" ? "/home/ada/notes.md" : null) });
  say("read @notes.md, and write to @ada");
  await settle(100);
  expect(agent.sent).toEqual(["read @notes.md, and write to @ada"]);
  expect(agent.sentFiles).toEqual([[{ path: "/home/ada/notes.md" }]]);
});

test("files are offered from the typed folder, which is read once", async () => {
  const looks: string[] = [];
  const { chat } = open({
    async listFolder(folder) {
      looks.push(folder);
      return [{ name: "alpha.md", isFolder: false }];
    },
  });
  for (const letter of "see @src/al") chat.handleKey(typed(letter));
  await settle();
  chat.handleKey(pressed("tab"));
  expect(looks).toEqual(["", "src/"]);
  expect(chat.getState().editor.text).toBe("see @src/alpha.md ");
});

test("what is below the folder is listed once, when a name is typed", async () => {
  const looks: string[] = [];
  const { chat } = open({
    listFolder: async (folder) => (folder === "" ? [{ name: "src", isFolder: true }] : []),
    async listPaths(folder) {
      looks.push(folder);
      return [{ name: "src/surfaces/terminal/alpha.md", isFolder: false }];
    },
  });
  chat.handleKey(typed("@"));
  await settle();
  expect(looks).toEqual([]);
  for (const letter of "alp") chat.handleKey(typed(letter));
  await settle();
  expect(looks).toEqual([""]);
  chat.handleKey(pressed("tab"));
  expect(chat.getState().editor.text).toBe("@src/surfaces/terminal/alpha.md ");
});

test("an answer that comes after the folder was changed is dropped", async () => {
  let answer: (entries: readonly { name: string; isFolder: boolean }[]) => void = () => undefined;
  const { chat } = open({
    listFolder: (folder) =>
      folder === ""
        ? new Promise((resolve) => (answer = resolve))
        : Promise.resolve([{ name: "b.md", isFolder: false }]),
  });
  for (const letter of "@a/b") chat.handleKey(typed(letter));
  await settle();
  answer([{ name: "late.md", isFolder: false }]);
  await settle();
  expect(chat.getState().listing?.folder).toBe("a/");
});

test("keys that arrive together with the key that opens a dialog are pressed in the dialog", async () => {
  const { chat } = open({});
  chat.handleKey(typed("\u0012first\u000c"));
  const { dialog, editor } = chat.getState();
  const rows = dialog?.dialog.draw({ width: 79, max: 10, now: new Date(0) }).rows ?? [];
  expect(rows.map(rowText).join("\n")).toContain("> first");
  expect(typedText(editor)).toBe("");
});

test("Up brings back a text that Esc Esc or Ctrl+R removed, also after the chat was opened again", async () => {
  const { chat, agent, say } = open();
  const press = (...keys: readonly string[]) => keys.forEach((key) => chat.handleKey(pressed(key)));
  const up = (): string => (press("up"), chat.getState().editor.text);
  say("sent");
  await settle();
  for (const draft of ["cleared", "replaced"]) {
    chat.handleKey(typed(draft));
    press(...(draft === "cleared" ? ["escape", "escape"] : ["ctrl+r", "up", "enter"]));
    await settle();
  }
  say("");
  await settle();
  say("/new");
  await settle();
  expect([up(), up()]).toEqual(["replaced", "cleared"]);
  expect(agent.sent.at(0)).toBe("sent");
});

test("Up brings back the draft that a recalled input was sent instead of", async () => {
  const { chat, say } = open();
  say("/theme");
  await settle();
  chat.handleKey(typed("a long draft"));
  for (const key of ["up", "enter", "up", "up"]) chat.handleKey(pressed(key));
  expect(chat.getState().editor.text).toBe("a long draft");
});
