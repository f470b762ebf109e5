// A call that waits for approval, in the chat: the question, and the effect of each answer.
import { noUsage } from "../../src/base/message/message.ts";
import { approvalDialog, readApprovalLine } from "../../src/surfaces/terminal/dialogs/approval.ts";
import { itemRows } from "../../src/surfaces/terminal/rows/item-rows.ts";
import { widthOf } from "../../src/surfaces/terminal/screen/text-width.ts";
import { driveDialog, keyOf } from "../support/drive-dialog.ts";
import { hintRow } from "../../src/surfaces/terminal/rows/status-rows.ts";
import { rowText, rowWidth } from "../../src/surfaces/terminal/rows/row.ts";
import { reduceView } from "../../src/surfaces/terminal/view/view-state.ts";
import { pressed, typed } from "../../src/surfaces/terminal/keys/key-codes.ts";
import { createChat } from "../../src/surfaces/terminal/create-chat.ts";
import {
  createFakeAgent,
  createFakeRuntime,
  type FakeAgentOptions,
  replyScript,
  waitingCall,
} from "../support/fake-agent.ts";
import { shownText } from "../support/run-command.ts";

function open(options: FakeAgentOptions) {
  const agent = createFakeAgent(options);
  const session = { runtime: createFakeRuntime(), agent, version: "0.1.0", color: false };
  const chat = createChat(session, { columns: 100, rows: 30 });
  return {
    agent,
    chat,
    async say(text: string) {
      for (const letter of text) chat.handleKey(typed(letter));
      chat.handleKey(pressed("enter"));
      for (let tries = 0; tries < 50 && chat.getState().activity !== null; tries += 1)
        await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
    },
    shown: () => shownText(chat.getState(), 99),
  };
}

test("a conversation with a waiting call shows the complete call, with the possible answers", () => {
  const { shown } = open({ waiting: waitingCall });
  expect(shown()).toContain("! pay waits for your approval (until 2026-11-22 10:00 UTC)\n  euros: 5");
});

test.each([
  ["y", ["approve", "call-1", {}]],
  ["YES", ["approve", "call-1", {}]],
  ["n", ["deny", "call-1", {}]],
  ["n too expensive", ["deny", "call-1", { reason: "too expensive" }]],
  ["/approve", ["approve", "call-1", {}]],
  ['/approve {"euros":4}', ["approve", "call-1", { arguments: { euros: 4 } }]],
  ["/deny not today", ["deny", "call-1", { reason: "not today" }]],
])("%j decides", async (line, decision) => {
  const { agent, say, shown } = open({ waiting: waitingCall, turns: [replyScript("Going on.")] });
  await say(line);
  expect(agent.decided).toEqual([decision]);
  expect(agent.sent).toEqual([]);
  expect(shown()).toContain("Going on.");
});

test("e copies the arguments into the prompt, to be edited and sent", async () => {
  const { agent, say, chat } = open({ waiting: waitingCall });
  await say("e");
  expect(chat.getState().editor.text).toBe('/approve {"euros":5}');
  expect(agent.decided).toEqual([]);
});

test("anything else is a message, and so is y if nothing waits", async () => {
  const waiting = open({ waiting: waitingCall });
  await waiting.say("yesterday you paid already");
  expect(waiting.agent.sent).toEqual(["yesterday you paid already"]);
  const idle = open({});
  await idle.say("y");
  expect(idle.agent.sent).toEqual(["y"]);
});

test.each(["/approve five", "/approve [5]"])(
  "%s reports the expected input, and the call still waits",
  async (line) => {
    const { agent, say, shown } = open({ waiting: waitingCall });
    await say(line);
    expect(agent.decided).toEqual([]);
    expect(shown()).toContain("Expected the arguments as a JSON object");
  },
);

test.each(["/approve", "/deny"])("%s without a waiting call reports it", async (line) => {
  const { agent, say, shown } = open({});
  await say(line);
  expect(agent.decided).toEqual([]);
  expect(shown()).toContain("No call waits for approval.");
});

test("a turn that stops for approval returns queued inputs to the prompt, so that they are not decisions", async () => {
  const asked = { type: "approval-requested", step: 1, callId: "call-1", name: "pay", arguments: "{}" } as const;
  const end = { type: "turn-end", stopReason: "awaiting-approval", text: "", steps: 1, usage: noUsage } as const;
  const { agent, chat, say, shown } = open({
    waiting: waitingCall,
    turns: [[{ type: "turn-start", messageId: "m" }, 30, { ...asked, preview: null, expiresAt: null }, end]],
  });
  for (const letter of "pay") chat.handleKey(typed(letter));
  chat.handleKey(pressed("enter"));
  await say("y");
  for (let tries = 0; tries < 100 && chat.getState().activity !== null; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(agent.sent).toEqual(["pay"]);
  expect(agent.decided).toEqual([]);
  expect(chat.getState().editor.text).toBe("y\n");
  expect(shown()).toContain("! pay waits for your approval");
});

describe("the mode of approvals", () => {
  const asked = { type: "approval-requested", step: 1, callId: "call-1", name: "pay", arguments: "{}" } as const;
  const end = { type: "turn-end", stopReason: "awaiting-approval", text: "", steps: 1, usage: noUsage } as const;
  const turns = (): NonNullable<FakeAgentOptions["turns"]> => [
    [{ type: "turn-start", messageId: "m" }, { ...asked, preview: null, expiresAt: null }, end],
    replyScript("Paid."),
  ];
  const tool = (effects: "memory" | "external") =>
    ({ name: "pay", description: "", approval: "always", effects }) as const;

  test.each([
    ["external", 0, false],
    ["external", 1, false],
    ["external", 2, true],
    ["external", 3, false],
    ["memory", 0, false],
    ["memory", 1, true],
    ["memory", 2, true],
  ] as const)("a tool with %s effects after %d times Shift+Tab: approved %s", async (effects, times, isApproved) => {
    const { agent, chat, say, shown } = open({ waiting: waitingCall, turns: turns(), tools: [tool(effects)] });
    for (let count = 0; count < times; count += 1) chat.handleKey(pressed("shift+tab"));
    // The fake agent keeps its waiting call in this turn.
    await say("/heartbeat");
    expect(agent.decided).toEqual(isApproved ? [["approve", "call-1", {}]] : []);
    expect(shown().includes("Paid.")).toBe(isApproved);
    expect(shown().includes("Approved pay: this chat approves")).toBe(isApproved);
    // Once for the opened conversation.
    expect(shown().split("pay waits for your approval")).toHaveLength(isApproved ? 2 : 3);
  });

  test("is shown, and ends with the conversation", () => {
    const { chat } = open({});
    for (const mode of ["edits", "all", "ask", "edits"]) {
      chat.handleKey(pressed("shift+tab"));
      expect(chat.getState().approvalMode).toBe(mode);
    }
    const state = { ...chat.getState(), hint: null };
    expect(rowText(hintRow(state, 99))).toBe(
      "approves memory edits (Shift+Tab) · Enter send · Alt+Enter new line · /help · Ctrl+C twice to leave",
    );
    for (const width of [10, 20, 40, 79]) expect(rowWidth(hintRow(state, width))).toBeLessThanOrEqual(width);
    const same = reduceView(state, { type: "open", status: state.status, history: [] });
    expect(same.approvalMode).toBe("edits");
    const other = { ...state.status, conversationId: "another" };
    expect(reduceView(state, { type: "open", status: other, history: [] }).approvalMode).toBe("ask");
  });
});

test.each([
  ["n", "/deny"],
  ["no: later", "/deny later"],
  ["nothing", null],
  ["yes please", null],
  ["edit it", null],
])("readApprovalLine of %j", (line, expected) => {
  const read = readApprovalLine(line, waitingCall);
  expect(read !== null && "line" in read ? read.line : read).toBe(expected);
});

describe("the question about a waiting call", () => {
  const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
  async function press(chat: ReturnType<typeof createChat>, keys: readonly string[]): Promise<void> {
    for (const one of keys) {
      await settle();
      chat.handleKey(keyOf(one));
    }
    await settle();
  }

  test.each([
    ["y", ["y"], ["approve", "call-1", {}]],
    ["n and Enter", ["n", "enter"], ["deny", "call-1", {}]],
    ["n and a reason", ["n", "t", "oo ", "much", "enter"], ["deny", "call-1", { reason: "too much" }]],
    ["y after a change of mind", ["n", "x", "escape", "Y"], ["approve", "call-1", {}]],
    ["y in the prompt after Esc", ["escape", "y", "enter"], ["approve", "call-1", {}]],
  ])("is answered by %s", async (_title, pressed, decision) => {
    const { agent, chat } = open({ waiting: waitingCall, turns: [replyScript("Going on.")] });
    await press(chat, pressed);
    expect(agent.decided).toEqual([decision]);
    expect(agent.sent).toEqual([]);
  });

  test.each([
    ["e copies the arguments into the prompt", ["e"], '/approve {"euros":5}'],
    ["another key begins a message", ["w", "ait"], "wait"],
    ["Esc decides nothing", ["escape"], ""],
    ["Enter and Shift+Tab decide nothing", ["enter", "shift+tab", "escape"], ""],
  ])("%s", async (_title, pressed, text) => {
    const { agent, chat } = open({ waiting: waitingCall });
    await press(chat, pressed);
    expect(chat.getState().dialog).toBeNull();
    expect(chat.getState().editor.text).toBe(text);
    expect(agent.decided).toEqual([]);
  });

  test("Shift+Tab changes the mode of approvals, which is shown; the call still waits for its answer", async () => {
    const { agent, chat } = open({ waiting: waitingCall, turns: [replyScript("Going on.")] });
    const question = () =>
      chat.getState().dialog?.dialog.draw({ width: 79, max: 1, now: new Date() }).rows.map(rowText);
    await press(chat, ["shift+tab"]);
    expect(chat.getState().approvalMode).toBe("edits");
    expect(question()).toEqual(["Run pay? · from now on, this chat approves memory edits"]);
    await press(chat, ["shift+tab", "shift+tab"]);
    expect([chat.getState().approvalMode, question()]).toEqual(["ask", ["Run pay?"]]);
    expect(agent.decided).toEqual([]);
    await press(chat, ["y"]);
    expect(agent.decided).toEqual([["approve", "call-1", {}]]);
  });

  test("does not take the keys of a text that is being typed", async () => {
    const { agent, chat } = open({ waiting: waitingCall });
    chat.handleKey(typed("m"));
    await press(chat, ["y"]);
    expect(chat.getState().editor.text).toBe("my");
    expect(agent.decided).toEqual([]);
  });

  test("fits its space with any name and reason", async () => {
    for (const width of [10, 30, 79]) {
      const dialogs = driveDialog(["n", "x".repeat(300), "漢字".repeat(90), "backspace"], { width, max: 1 });
      await dialogs.open(approvalDialog({ toolName: "pay".repeat(60), arguments: "{}" }));
      for (const screen of dialogs.screens) expect(widthOf(screen)).toBeLessThanOrEqual(width);
    }
  });
});

test("a call that edits memory is shown as its changed lines, any other with all arguments and its preview", () => {
  const item = { kind: "approval", toolName: "tool", arguments: '{"a":"x\\ny","b":[1]}', expiresAt: null } as const;
  const long = itemRows({ ...item, preview: `human\n+ ${"coffee ".repeat(8)}` }, 40);
  expect(long.map(rowText).slice(-2)).toEqual([`  + ${"coffee ".repeat(5).trim()}`, "    coffee coffee coffee"]);
  const edit = itemRows({ ...item, preview: "human\n- tea\n+ coffee" }, 40);
  expect(edit.map(rowText)).toEqual(["! tool waits for your approval", "  human", "  - tea", "  + coffee"]);
  expect(edit.flat().map(({ tone }) => tone)).toEqual(expect.arrayContaining(["removed", "added"]));
  const other = itemRows({ ...item, preview: "Pays 5 euros." }, 40);
  expect(other.map(rowText).slice(1)).toEqual(["  a: x", "     y", "  b: [1]", "  Pays 5 euros."]);
  expect(
    itemRows({ ...item, arguments: "no JSON", preview: null }, 40)
      .map(rowText)
      .at(-1),
  ).toBe("  no JSON");
});
