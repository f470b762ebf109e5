// The usage of a conversation and the content of its window: `/usage` and `/dump`, and their errors.
import type { Agent } from "../../src/agent/agent.ts";
import type { StoredMessage } from "../../src/store/port/records.ts";
import type { LoggedStep } from "../../src/store/port/step-store.ts";
import { itemRows } from "../../src/surfaces/terminal/rows/item-rows.ts";
import { rowText, rowWidth } from "../../src/surfaces/terminal/rows/row.ts";
import { createFakeAgent, storedMessage } from "../support/fake-agent.ts";
import { storedReport } from "../support/window-state.ts";
import { runCommand, shownText } from "../support/run-command.ts";

async function rowsOf(line: string, agent: Agent, width = 79) {
  const { items } = await runCommand(line, { agent });
  return items.flatMap((item) => itemRows(item, width));
}

const shown = async (line: string, agent: Agent): Promise<string> =>
  (await rowsOf(line, agent)).map(rowText).join("\n");

function step(ordinal: number, made: Partial<LoggedStep> = {}): LoggedStep {
  const usage = { inputTokens: 1000, outputTokens: 50, cachedInputTokens: 750 };
  return {
    id: `step-${ordinal}`,
    ordinal,
    turnId: "turn-1",
    number: ordinal,
    model: "openai/gpt-5",
    finish: "stop",
    usage,
    report: storedReport,
    at: new Date("2026-11-21T11:00:00Z"),
    ...made,
  };
}

function agentWith(steps: readonly LoggedStep[], price: Agent["price"] = null): Agent {
  const agent = createFakeAgent({ steps, model: "openai/gpt-5" });
  return Object.defineProperty(agent, "price", { value: price });
}

describe("/usage", () => {
  it("adds up tokens by model, and their cost if the price is known", async () => {
    const steps = [step(3, { turnId: "turn-2" }), step(2, { model: "openai/gpt-4" }), step(1)];
    const price = { input: 2, cachedInput: 0.2, output: 11 };
    expect(await shown("/usage", agentWith(steps, price))).toBe(
      [
        "",
        "3 model calls",
        "  openai/gpt-5  2 calls, 2,000 in (1,500 cached, 75%), 100 out, $0.0024",
        "  openai/gpt-4  1 call, 1,000 in (750 cached, 75%), 50 out, cost not known",
        "  last turn  1 call, 1,000 in (750 cached, 75%), 50 out, $0.0012",
        "    call 3  1,000 in (750 cached, 75%)",
      ].join("\n"),
    );
  });

  it("says why the cache missed in a call of the last turn, and how many thoughts were not accepted", async () => {
    const usage = { inputTokens: 1000, outputTokens: 50, cachedInputTokens: 0, cacheMiss: "tools changed" };
    const steps = [step(2), step(1, { usage: { ...usage, droppedThoughts: 2 } })];
    const text = (await rowsOf("/usage", agentWith(steps), 120)).map(rowText).join("\n");
    expect(text).toContain(
      "    call 1  1,000 in (0 cached, 0%: tools changed)\n    call 2  1,000 in (750 cached, 75%)",
    );
    expect(text).toContain("100 out, cost not known, 2 thoughts not accepted\n");
  });

  it("says the day of a list price", async () => {
    const price = { input: 2, cachedInput: 0.2, output: 11, listedAt: "2026-11-27" };
    expect(await shown("/usage", agentWith([step(1)], price))).toContain("1 model call; list price of 2026-11-27\n");
  });

  it("reports an unknown cost, further calls, and that there were none", async () => {
    const text = await shown("/usage", agentWith([step(1200), step(1199)]));
    expect(text).toContain("2 model calls, the newest of 1200");
    expect(text.match(/cost not known/gu)).toHaveLength(2);
    expect(await shown("/usage", agentWith([]))).toContain("No model was called");
    expect(await shown("/usage now", agentWith([]))).toContain("takes no argument");
  });

  it("does not divide by zero tokens", async () => {
    const none = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
    expect(await shown("/usage", agentWith([step(1, { usage: none })]))).toContain("0 in (0 cached, 0%), 0 out");
  });
});

describe("/dump", () => {
  const called: StoredMessage = {
    ...storedMessage("assistant", "", 2),
    content: [
      { type: "thought", text: "A name." },
      { type: "tool-call", callId: "c1", name: "core_memory_append", arguments: '{"name":"human"}' },
    ],
  };
  const result: StoredMessage = {
    ...storedMessage("assistant", "", 3),
    role: "tool",
    content: [{ type: "tool-result", callId: "c1", name: "core_memory_append", status: "ok", text: "ok" }],
  };
  const cut = { ...storedMessage("assistant", "Nice to", 4), status: "interrupted" } as const;
  const agent = createFakeAgent({ messages: [storedMessage("user", "I am Ada.", 1), called, result, cut] });

  it("shows every message with its calls and results, counted from the end", async () => {
    expect(await shown("/dump", agent)).toBe(
      [
        "",
        "4  user",
        "  I am Ada.",
        "3  assistant",
        "  (thought) A name.",
        '  → core_memory_append {"name":"human"}',
        "2  tool",
        "  ← core_memory_append, ok: ok",
        "1  assistant, interrupted",
        "  Nice to",
      ].join("\n"),
    );
    expect(await shown("/dump 0", agent)).toBe(await shown("/dump", agent));
  });

  it("shows the last ones, as many as there are", async () => {
    expect(await shown("/dump 1", agent)).toBe("\n1  assistant, interrupted\n  Nice to");
    expect(await shown("/dump 999999999", agent)).toContain("4  user");
  });

  it.each(["two", "-1", "1.5", "1 2", "9".repeat(10), "a".repeat(1e6)])("refuses %.20s", async (count) => {
    expect(await shown(`/dump ${count}`, agent)).toContain("Expected a number of messages");
  });

  it("reports that there is nothing", async () => {
    expect(await shown("/dump", createFakeAgent())).toContain("There is no message in the window");
  });

  it("keeps huge and unusual texts within the screen", async () => {
    const odd = [storedMessage("user", "\u001b[2J%_</human>\ud800", 1), storedMessage("user", "a".repeat(1e6), 2)];
    const rows = await rowsOf("/dump", createFakeAgent({ messages: odd }), 39);
    expect(rows.length).toBeLessThan(80);
    for (const row of rows) expect(rowWidth(row)).toBeLessThanOrEqual(39);
    expect(rows.map(rowText).join("")).not.toContain("\u001b");
  });
});

test("/agents takes one row an agent, whatever its width", async () => {
  const agents = ["NAME  MODEL", ...["ada", "ben"].map((name) => `${name}   ${"m".repeat(90)}  0194`)].join("\n");
  const text = shownText(await runCommand("/agents", { printOf: async () => agents }));
  expect(text.trim().split("\n")).toEqual([
    "NAME  MODEL",
    expect.stringMatching(/^ada {3}m+…$/u),
    expect.stringMatching(/^ben {3}m+…$/u),
  ]);
});
