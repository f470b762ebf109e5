// The user's own status line in the chat: when it is made, and what is shown if that fails.
import type { StatusFacts } from "../../src/surfaces/terminal/chat-host.ts";
import { createChatStore } from "../../src/surfaces/terminal/chat-store.ts";
import { followStatus } from "../../src/surfaces/terminal/status-line.ts";
import { openingState } from "../../src/surfaces/terminal/view/view-state.ts";
import { liveFrame } from "../support/live-frame.tsx";
import { newStatus } from "../support/new-status.ts";

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function follow(statusLine: (facts: StatusFacts) => Promise<string>) {
  const store = createChatStore(openingState({ status: newStatus(), size: { columns: 60, rows: 24 } }));
  followStatus(store, statusLine);
  return { store, rows: () => liveFrame(store.getState(), new Date(0)).rows };
}

test("replaces the usual line, and is made again only when the facts change", async () => {
  const asked: StatusFacts[] = [];
  const { store, rows } = follow(async (facts) => {
    asked.push(facts);
    return `${facts.agent} at ${facts.windowPercent} %\u001b[31m`;
  });
  await settle();
  expect(rows().at(-2)).toBe("sam at 0 %");
  store.dispatch({ type: "set", change: { hint: "typed" } });
  await settle();
  expect(asked).toHaveLength(1);
  store.dispatch({ type: "finish", window: { tokens: 16384, limit: 32768 }, waitsForApproval: false });
  await settle();
  expect(rows().at(-2)).toBe("sam at 50 %");
  expect(asked[1]).toEqual({
    agent: "sam",
    model: "demo",
    conversation: "01941f29-7c00-7000",
    windowTokens: 16384,
    windowLimit: 32768,
    windowPercent: 50,
    inputTokens: 0,
    outputTokens: 0,
    cost: null,
    approvals: "ask",
  });
});

test("one line is made at a time, the next with the newest facts", async () => {
  const ends: ((line: string) => void)[] = [];
  const { store, rows } = follow((facts) => new Promise((resolve) => ends.push(() => resolve(`${facts.approvals}`))));
  for (let times = 0; times < 2; times += 1) store.dispatch({ type: "approval-mode" });
  expect(ends).toHaveLength(1);
  ends[0]?.("");
  await settle();
  expect(ends).toHaveLength(2);
  ends[1]?.("");
  await settle();
  expect(rows().at(-2)).toBe("all");
});

test("a failure is reported once, and the usual line is shown", async () => {
  const { store, rows } = follow(() => Promise.reject(new Error("exit code 2")));
  await settle();
  store.dispatch({ type: "approval-mode" });
  await settle();
  expect(store.getState().items).toMatchObject([{ text: "The configured status line failed: exit code 2" }]);
  expect(rows().at(-2)).toContain("sam · demo model");
});
