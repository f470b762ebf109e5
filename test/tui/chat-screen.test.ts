// The screen as a user sees it: a model of a terminal, a scripted agent, typed keys, screens of text.
import { noUsage } from "../../src/base/message/message.ts";
import type { ChatSession } from "../../src/surfaces/terminal/chat-session.ts";
import { createChat } from "../../src/surfaces/terminal/create-chat.ts";
import { showChat } from "../../src/surfaces/terminal/show-chat.tsx";
import { graphemesOf, widthOf } from "../../src/surfaces/terminal/screen/text-width.ts";
import {
  createFakeAgent,
  createFakeRuntime,
  type FakeAgent,
  type FakeAgentOptions,
  replyScript,
  stepStart,
  storedMessage,
  turnEnd,
} from "../support/fake-agent.ts";
import { createFakeTerminal, type FakeTerminal } from "../support/fake-terminal.ts";

interface Screen {
  readonly agent: FakeAgent;
  readonly conversationId: () => string;
  frame(): string;
  type(keys: string): Promise<void>;
  /** Waits until the frame contains a text. What is drawn in a later frame than another text needs its own wait. */
  until(text: string): Promise<void>;
  untilGone(text: string): Promise<void>;
  untilLeft(): Promise<void>;
  hasLeft(): boolean;
  readonly terminal: FakeTerminal;
}

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

async function open(
  options: FakeAgentOptions = {},
  session: Partial<ChatSession> & { readonly columns?: number; readonly rows?: number } = {},
): Promise<Screen> {
  const { columns = 100, rows = 30, ...rest } = session;
  const agent = createFakeAgent(options);
  const chat = createChat(
    { runtime: createFakeRuntime(), agent, version: "0.1.0", color: false, ...rest },
    { columns, rows },
  );
  const terminal = createFakeTerminal({ columns, rows });
  const abort = new AbortController();
  const shown = showChat(chat, { signal: abort.signal }, terminal).catch((error: unknown) => {
    if (error !== abort.signal.reason) throw error;
  });
  opened.push(async () => {
    abort.abort();
    await shown;
  });
  await settle();
  const frame = (): string => terminal.model.everything().join("\n");
  return {
    agent,
    conversationId: chat.conversationId,
    frame,
    terminal,
    hasLeft: () => chat.getState().hasLeft,
    async type(keys) {
      terminal.type(keys);
      await settle();
    },
    async until(text) {
      await waitFor(() => frame().includes(text));
      expect(frame()).toContain(text);
    },
    async untilGone(text) {
      await waitFor(() => !frame().includes(text));
      expect(frame()).not.toContain(text);
    },
    async untilLeft() {
      await waitFor(() => chat.getState().hasLeft);
      expect(chat.getState().hasLeft).toBe(true);
    },
  };
}

async function waitFor(isThere: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200 && !isThere(); tries += 1) await settle();
}

function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}

test.each([40, 80, 200])(
  "the first frame at %d columns has the agent, its model and the keys, within the width",
  async (columns) => {
    const { frame, until } = await open({}, { columns, notice: "Set ANTHROPIC_API_KEY to talk to a language model." });
    await until("Palimpsest 0.1.0");
    await until("agent sam · new conversation");
    await until("demo model");
    await until("12% of 32k");
    await until("/help");
    expect(Math.max(...frame().split("\n").map(widthOf))).toBeLessThan(columns);
    expect(frame().split("\n>")[0]?.trim().split("\n").length).toBeLessThanOrEqual(6);
  },
);

test("typed text is sent, and the reply is shown", async () => {
  const { agent, type, until } = await open({ turns: [replyScript("Nice to meet you, **Ada**.")] });
  await type("My name is Ada");
  await until("> My name is Ada");
  await type("\r");
  await until("● Nice to meet you, Ada.");
  expect(agent.sent).toEqual(["My name is Ada"]);
});

test("a resumed conversation shows its last exchanges, and Up recalls its inputs", async () => {
  const messages = [
    storedMessage("user", "Hello there", 1),
    storedMessage("assistant", "Hello!", 2),
    { ...storedMessage("user", "{login}", 3), kind: "event" as const },
  ];
  const { frame, type, until } = await open({ messages });
  await until("resumed, 2 messages in the window");
  await until("● Hello!");
  expect(frame()).not.toContain("{login}");
  await type("\u001b[A");
  await until("> Hello there\nsam · ");
});

test("Esc interrupts: the partial reply stays, marked, and waiting inputs return to the prompt", async () => {
  const { agent, type, until } = await open({
    turns: [[stepStart(), { type: "text-delta", step: 1, text: "half an ans" }, 5000, turnEnd()]],
  });
  await type("one\r");
  await until("half an ans");
  await type("two\r");
  await until("next: two");
  await type("draft");
  await type("\u001b");
  await until("Interrupted.");
  await until("● half an ans");
  await until("> two\n  draft");
  expect(agent.sent).toEqual(["one"]);
});

test("Enter while the agent works sends after the turn", async () => {
  const { agent, type, until } = await open({
    turns: [[stepStart(), 150, ...replyScript("first")], replyScript("second")],
  });
  await type("one\r");
  await type("two\r");
  await until("● second");
  expect(agent.sent).toEqual(["one", "two"]);
});

test("a paste of several lines is inserted, not sent", async () => {
  const { agent, type, until } = await open();
  await type("\u001b[200~one\rtwo\r\u001b[201~");
  await until("> one\n  two");
  await type("three\rfour");
  expect(agent.sent).toEqual([]);
  await until("  three\n  four");
});

test("keys that arrive together with text are keys", async () => {
  const { agent, type, until } = await open();
  await type("hellp\u007fo\r");
  await until("● ok");
  expect(agent.sent).toEqual(["hello"]);
});

test("Enter after a backslash begins a new line", async () => {
  const { agent, type, until } = await open();
  await type("one\\");
  await type("\r");
  await type("two");
  await until("> one\n  two");
  expect(agent.sent).toEqual([]);
});

test("Ctrl+C clears, then warns, then leaves; Ctrl+D leaves when there is no text", async () => {
  const first = await open();
  await first.type("text");
  await first.until("> text");
  await first.type("\u0003");
  await first.untilGone("> text");
  await first.type("\u0003");
  await first.until("Press Ctrl+C again to leave.");
  await first.type("\u0003");
  await first.untilLeft();
  const second = await open();
  await second.type("\u0004");
  await second.untilLeft();
});

test("a slash shows the commands, Tab completes, and an unknown one is not sent", async () => {
  const { agent, type, until } = await open();
  await type("/");
  await until("/memory [label]");
  await type("me");
  await type("\t");
  await until("> /memory");
  await type("\r");
  await until("[persona]  human");
  await type("\t");
  await until("human 9/2000");
  await type("q");
  await until("Enter send");
  await type("/foo\r");
  await until("There is no command /foo.");
  expect(agent.sent).toEqual([]);
});

test("a message that cannot be sent comes back with the waiting input, and a failure says what to do", async () => {
  const { type, until } = await open({ turns: [[150, new Error("the disk is full")]] });
  await type("one\r");
  await type("two\r");
  await until("Unexpected error: the disk is full");
  await until("> one\n  two");
});

test("initial work begins without a key, and Ctrl+C closes a dialog without leaving", async () => {
  const conversation = { id: "0194", agentId: "agent-1", title: "Boats", leafId: null, messages: 2, preview: "ahoy" };
  const runtime = createFakeRuntime({
    conversations: [{ ...conversation, createdAt: new Date(), updatedAt: new Date() }],
  });
  const { type, until, hasLeft } = await open({}, { runtime, firstInput: "/resume" });
  await until("❯ Boats");
  await type("\u0003");
  await until("Enter send");
  expect(hasLeft()).toBe(false);
});

test("/new continues in another conversation", async () => {
  const opened = createFakeAgent({ conversationId: "other-conversation" });
  const { conversationId, type, until } = await open({}, { runtime: createFakeRuntime({ open: () => opened }) });
  await type("/new\r");
  await until("A new conversation.");
  expect(conversationId()).toBe("other-conversation");
  await type("hi\r");
  await until("● ok");
  expect(opened.sent).toEqual(["hi"]);
});

test("escape sequences from models, tools and memory do not reach the screen", async () => {
  const evil = "\u001b[2J\u001b]0;owned\u0007x\u009b31m\u202e";
  const { frame, terminal, type, until } = await open({
    messages: [storedMessage("user", `past ${evil}`)],
    turns: [
      [
        stepStart(),
        { type: "thought-delta", step: 1, text: evil },
        { type: "text-delta", step: 1, text: "split \u001b[3" },
        { type: "text-delta", step: 1, text: "1mred" },
        { type: "tool-call", step: 1, callId: "c", name: `tool${evil}`, arguments: `{"a":"${evil}"}` },
        { type: "tool-result", step: 1, callId: "c", name: "tool", status: "failed", text: evil },
        {
          type: "memory-edit",
          step: 1,
          callId: "c",
          label: `human${evil}`,
          before: "",
          after: evil,
          revision: 1,
          limit: 10,
        },
        { type: "warning", code: "memory-pressure", message: evil },
        {
          type: "turn-end",
          stopReason: "model-error",
          text: "",
          steps: 1,
          usage: noUsage,
          error: { code: "model_auth", message: `end ${evil}` },
        },
      ],
    ],
  });
  await type("go\r");
  await until("end x");
  await until("● split red");
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  expect(frame()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  expect(terminal.written()).not.toMatch(/owned|\[2J|\u009b/u);
});

test("wide characters and emoji are edited as units", async () => {
  const { type, until } = await open();
  await type("日本👩‍👩‍👧‍👦");
  await type("\u007f");
  await type("\u007f");
  await until("> 日\n");
  expect(graphemesOf("日")).toHaveLength(1);
});
