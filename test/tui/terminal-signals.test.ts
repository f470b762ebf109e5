// The terminal's title and bell follow the chat.
import type { AgentEvent, EventBody, StopReason } from "../../src/agent/events.ts";
import { createChatStore } from "../../src/surfaces/terminal/chat-store.ts";
import { followChat } from "../../src/surfaces/terminal/show-chat.tsx";
import { openingState, type ViewAction } from "../../src/surfaces/terminal/view/view-state.ts";
import { turnEnd } from "../support/fake-agent.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { newStatus } from "../support/new-status.ts";

function follow({
  agentName = "ada",
  hasTitle = true,
  hasBell = false,
  notification = "off" as "off" | "osc9" | "osc777",
} = {}) {
  const status = newStatus({ agentName });
  const store = createChatStore(openingState({ status, size: { columns: 80, rows: 24 }, hasBell }));
  const written: string[] = [];
  const clock = createManualClock();
  const chat = { ...store, now: clock.now };
  const output = { isTerminal: true, write: (sequence: string) => void written.push(sequence) };
  const { end, showFocus } = followChat(chat, { hasTitle, notification }, output);
  return {
    end,
    showFocus,
    clock,
    /** What was written since the last call. */
    after(...actions: readonly ViewAction[]): string {
      for (const action of actions) store.dispatch(action);
      return written.splice(0).join("");
    },
  };
}

const begin: ViewAction = { type: "begin", activity: "thinking" };
const finish = (waitsForApproval: boolean): ViewAction => ({
  type: "finish",
  window: newStatus().window,
  waitsForApproval,
});
const ended = (stopReason: StopReason): ViewAction => {
  const body = { ...turnEnd(), stopReason } as EventBody;
  const event: AgentEvent = { agentId: "a", conversationId: "c", turnId: "t", sequence: 0, ...body };
  return { type: "events", events: [event] };
};
const title = (text: string): string => `\u001b]0;${text}\u0007`;

it("shows the agent's name and state, each once, and restores the title at the end", () => {
  const { after, end } = follow();
  expect(after()).toBe(`\u001b[22;0t${title("ada")}`);
  expect(after(begin, begin)).toBe(title("ada: working"));
  expect(after(finish(true))).toBe(title("ada: needs approval"));
  expect(after(finish(false))).toBe(title("ada"));
  end();
  expect(after()).toBe(`${title("")}\u001b[23;0t`);
  expect(after(begin)).toBe("");
});

it("writes nothing when the title is off", () => {
  const { after, end } = follow({ hasTitle: false });
  expect(after(begin, ended("end-turn"), finish(false))).toBe("");
  end();
  expect(after()).toBe("");
});

it("has no control characters and a bounded length in the title", () => {
  const { after } = follow({ agentName: `a\u0007\n\u0001b${"x".repeat(100)}` });
  expect(after()).toBe(`\u001b[22;0t${title(`a b${"x".repeat(57)}`)}`);
});

it.each(["end-turn", "awaiting-approval", "model-error", "max-steps"] as const)(
  "rings when a turn ends: %s",
  (reason) => {
    const { after } = follow({ hasTitle: false, hasBell: true });
    expect(after(begin)).toBe("");
    expect(after(ended(reason))).toBe("\u0007");
    expect(after(finish(false))).toBe("");
  },
);

it("does not ring for a turn that the user interrupted, for commands, or when it is off", () => {
  const { after } = follow({ hasTitle: false, hasBell: true });
  expect(after(begin, ended("interrupted"), finish(false))).toBe("");
  expect(after(begin, finish(false))).toBe("");
  expect(after({ type: "set", change: { hasBell: false } }, begin, ended("end-turn"))).toBe("");
  expect(after({ type: "set", change: { hasBell: true } }, begin, ended("end-turn"))).toBe("\u0007");
});

describe.each([
  ["osc9", "\u001b]9;ada has answered\u0007"],
  ["osc777", "\u001b]777;notify;Palimpsest;ada has answered\u0007"],
] as const)("the notification %s", (notification, sequence) => {
  const working: ViewAction = { type: "begin", activity: "thinking", atMs: Date.UTC(2026, 0, 1) };

  it("is written when a turn ends without the focus, and not with it", () => {
    const { after, showFocus } = follow({ hasTitle: false, notification });
    showFocus(false);
    expect(after(working, ended("end-turn"), finish(false))).toBe(sequence);
    expect(after(working, ended("interrupted"), finish(false))).toBe("");
    showFocus(true);
    expect(after(working, ended("end-turn"), finish(false))).toBe("");
  });

  it("is written after a long turn if the terminal does not report its focus", async () => {
    const { after, clock } = follow({ hasTitle: false, notification });
    await clock.advance(19_000);
    expect(after(working, ended("end-turn"), finish(false))).toBe("");
    await clock.advance(1_000);
    expect(after(working, ended("end-turn"), finish(false))).toBe(sequence);
  });

  it("says that a call waits for approval", () => {
    const { after, showFocus } = follow({ hasTitle: false, notification });
    showFocus(false);
    const call = { step: 1, callId: "c", name: "pay", arguments: "{}", preview: null, expiresAt: null };
    const asked = { type: "approval-requested", ...call, agentId: "a", conversationId: "c", turnId: "t", sequence: 0 };
    const asks: ViewAction = { type: "events", events: [asked as AgentEvent] };
    expect(after(working, asks, ended("awaiting-approval"))).toContain("ada needs approval\u0007");
  });
});
