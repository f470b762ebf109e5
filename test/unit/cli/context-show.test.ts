// `palimpsest context`: which window and which model call of a real runtime are shown, and how a person reads them.
import { createScriptedModel } from "../../../src/model/llm/scripted/scripted-model.ts";
import type { ContextReport } from "../../../src/store/port/context-report.ts";
import { createFakeAgent } from "../../support/fake-agent.ts";
import { runInWorld } from "../../support/fake-world.ts";
import { drain, useRuntimes } from "../../support/runtime.ts";
import { stubRuntime } from "../../support/stub-runtime.ts";
import { storedReport } from "../../support/window-state.ts";

// The keys as a database returns them: by length, then by letter.
const report: ContextReport = {
  ...storedReport,
  total: 6000,
  counted: 5000,
  factor: 1.2,
  tiers: {
    system: { tokens: 2000, granted: 1500, parts: { tools: 1200, coreMemory: 400, instructions: 400 } },
    archive: { tokens: 1000, granted: 1000, parts: { summaries: 400, olderTurns: 600 } },
    working: { tokens: 3000, granted: 3000, parts: { turn: 0, recentTurns: 3000 } },
  },
  leftOut: [{ part: "turns", count: 1, tokens: 900, reason: "older than the budget allows" }],
  compacted: { messages: 1040, summaries: 1 },
};

const step = {
  id: "step-3",
  ordinal: 3,
  turnId: "turn-1",
  number: 1,
  model: "demo",
  finish: "end",
  usage: { inputTokens: 6100, outputTokens: 20, cachedInputTokens: 3050 },
  report,
  at: new Date("2026-11-21T10:00:00Z"),
};

/** On a stub: a window of 1,200 summaries, or one over its budget, is not to be had from a real runtime in a test's time. */
async function run(shown: ContextReport) {
  const fake = createFakeAgent();
  const agent = {
    ...fake,
    context: () => ({ ...fake.context(), report: shown }),
    steps: async (limit?: number) => (expect(limit).toBe(1), [step]),
  };
  const runtime = stubRuntime({ agents: { open: async () => agent } });
  const printed = await runInWorld(["context"], { runtime });
  expect(runtime.calls[0]).toEqual(["agents.open", "main", { conversation: "last", withoutCalls: true }]);
  return printed;
}

test("the tiers and their parts are in the order of the request, without empty ones", async () => {
  const { stdout, exitCode } = await run(report);
  const lines = stdout.split("\n");
  expect(lines.slice(2, 7).map((line) => line.replaceAll(/ {2,}/gu, " | "))).toEqual([
    "system | 2,000 | #####............... | tools 1,200, instructions 400, core memory 400, over its share of 1,500",
    "working | 3,000 | #######............. | last turns 3,000",
    "archive | 1,000 | ##.................. | summaries 400, older turns 600",
    "free | 1,168 | ###.................",
    "reply | 1,024 | ###................. | kept free for the reply",
  ]);
  expect(stdout).toContain("left out: 1 turn, 900 tokens: older than the budget allows");
  expect(stdout).toContain("1,040 earlier messages have left the window, replaced by 1 summary");
  expect(exitCode).toBe(0);
});

test.each([
  [0, "no summary"],
  [1, "1 summary"],
  [1200, "1,200 summaries"],
])("%d summaries are shown as: %s", async (summaries, text) => {
  const { stdout } = await run({ ...report, compacted: { messages: 7, summaries } });
  expect(stdout).toContain(`7 earlier messages have left the window, replaced by ${text}\n`);
});

test("more than the budget leaves nothing free, never a negative number", async () => {
  const { stdout } = await run({ ...report, total: 9000 });
  expect(stdout).toMatch(/^free +0 +\.{20}$/mu);
});

describe("of a real runtime", () => {
  const runtimes = useRuntimes();

  /** Two agents; the first with an older conversation of two turns and a newer one of one. */
  async function twoAgents() {
    const usage = (inputTokens: number) => ({ inputTokens, outputTokens: 7, cachedInputTokens: 0 });
    const model = createScriptedModel({ replies: (_request, index) => ({ text: "ok", usage: usage(100 + index) }) });
    const open = () => runtimes.open({ model: "scripted", models: [model] });
    const runtime = await open();
    const older = await runtime.agents.open("main", { create: {} });
    await drain(older.send("one"));
    await drain(older.send("two"));
    const newer = await runtime.agents.open("main", { conversation: "new" });
    await drain(newer.send("three"));
    const other = await runtime.agents.open("scout", { create: {} });
    await drain(other.send("four"));
    const shown = async (...flags: string[]) => {
      const { stdout, stderr, exitCode } = await runInWorld(["context", ...flags], { openRuntime: open });
      return { stdout, stderr, exitCode, json: stdout.startsWith("{") ? JSON.parse(stdout) : null };
    };
    return { older, newer, other, shown };
  }

  it("shows the last conversation, that of --resume, that of -a, and the step of --step", async () => {
    const { older, newer, other, shown } = await twoAgents();
    const given = async (...flags: string[]) => {
      const { json, exitCode } = await shown(...flags, "--json");
      return [exitCode, json.conversationId, json.step.ordinal, json.step.usage.inputTokens];
    };
    expect(await given()).toEqual([0, newer.conversationId, 1, 102]);
    expect(await given("--resume", older.conversationId)).toEqual([0, older.conversationId, 2, 101]);
    expect(await given("--resume", older.conversationId, "--step", "1")).toEqual([0, older.conversationId, 1, 100]);
    expect(await given("-a", "scout")).toEqual([0, other.conversationId, 1, 103]);

    const first = (await shown("--resume", older.conversationId, "--step", "1")).stdout;
    expect(first).toContain(`The window at step 1: main, conversation ${older.conversationId}\n`);
    expect(first).toContain("this model call: scripted");
    expect(first).toContain("reported 100 in");
    const now = (await shown("--resume", older.conversationId)).stdout;
    expect(now).toContain(`The window now: main, conversation ${older.conversationId}\n`);
    expect(now).toContain("the last model call, step 2: scripted");
    const { report } = (await shown("--resume", older.conversationId, "--step", "1", "--json")).json;
    expect(report).toEqual(JSON.parse(JSON.stringify((await older.step(1)).report)));
  });

  it("reports that no model call was made yet", async () => {
    const open = () => runtimes.open({ userId: "ben" });
    await (await open()).agents.open("main", { create: {} });
    expect((await runInWorld(["context"], { openRuntime: open })).stdout).toMatch(/No model call was made yet\.\n$/u);
  });
});
