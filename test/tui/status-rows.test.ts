// The footer: agent, model, fill of the window, tokens and cost; and the user's own status line: when it is made, and what is shown if
// that fails.
import type { AgentEvent } from "../../src/agent/events.ts";
import type { Usage } from "../../src/base/message/message.ts";
import { rowText, rowWidth } from "../../src/surfaces/terminal/rows/row.ts";
import { statusRow } from "../../src/surfaces/terminal/rows/status-rows.ts";
import { openingState, reduceView } from "../../src/surfaces/terminal/view/view-state.ts";
import type { StatusFacts } from "../../src/surfaces/terminal/chat-host.ts";
import { createChatStore } from "../../src/surfaces/terminal/chat-store.ts";
import { followStatus } from "../../src/surfaces/terminal/status-line.ts";
import { newStatus } from "../support/new-status.ts";
import { liveFrame } from "../support/live-frame.tsx";

const status = newStatus({
  model: "openai/gpt-5",
  conversationId: "01941f29-7c00-7000-8000-000000000001",
  window: { tokens: 3932, limit: 32768 },
  price: { input: 2, cachedInput: 0.5, output: 10 },
});

function after(usages: readonly Usage[]) {
  const opened = openingState({ status, size: { columns: 120, rows: 24 } });
  const header = { agentId: "a", conversationId: "c", turnId: "t", sequence: 0 };
  const events = usages.map((usage, index): AgentEvent => ({ ...header, type: "step-end", step: index + 1, usage }));
  return reduceView(opened, { type: "events", events }).status;
}

test("before the first call it shows no tokens and no cost", () => {
  expect(rowText(statusRow(status, 120))).toBe("sam · openai/gpt-5 · 12% of 32k · conversation 01941f29-7c00");
});

test("it adds up the calls, with the cached share and the cost", () => {
  const used = after([
    { inputTokens: 4000, cachedInputTokens: 3000, outputTokens: 100 },
    { inputTokens: 4000, cachedInputTokens: 3800, outputTokens: 250 },
  ]);
  // 1,200 at 2, 6,800 at 0.5 and 350 at 10 dollars per million.
  expect(rowText(statusRow(used, 120))).toBe(
    "sam · openai/gpt-5 · 12% of 32k · 8k in, 85% cached, 350 out · $0.0093 · conversation 01941f29-7c00",
  );
  expect(rowText(statusRow({ ...used, price: null }, 79))).toBe(
    "sam · openai/gpt-5 · 12% of 32k · 8k in, 85% cached, 350 out",
  );
});

test("it marks the tokens and the cost of an interrupted call as an estimate", () => {
  const used = after([
    { inputTokens: 4000, cachedInputTokens: 3000, outputTokens: 100 },
    { inputTokens: 4000, cachedInputTokens: 3800, outputTokens: 250, isEstimated: true },
  ]);
  expect(rowText(statusRow(used, 79))).toBe("sam · openai/gpt-5 · 12% of 32k · ~8k in, 85% cached, 350 out · ~$0.0093");
});

test("it shows no cost if there is none, and no cached share if nothing was cached", () => {
  const used = after([{ inputTokens: 900, cachedInputTokens: 0, outputTokens: 10 }]);
  const free = { ...used, price: { input: 0, cachedInput: 0, output: 0 } };
  expect(rowText(statusRow(free, 60))).toBe("sam · openai/gpt-5 · 12% of 32k · 900 in, 10 out");
});

test.each([10, 19, 30, 39, 50, 79, 199])("one row at %d columns", (width) => {
  const used = after([{ inputTokens: 1e6, cachedInputTokens: 9e5, outputTokens: 1e5 }]);
  for (const name of ["sam", "日本語の名前", "a".repeat(300)]) {
    const row = statusRow({ ...used, agentName: name }, width);
    expect(rowWidth(row)).toBeLessThanOrEqual(width);
  }
});

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
