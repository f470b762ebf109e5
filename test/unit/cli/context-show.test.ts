// `palimpsest context`: the window and a model call as a person reads them, and what is refused.
import type { ContextReport } from "../../../src/memory/context-report.ts";
import { createFakeAgent } from "../../support/fake-agent.ts";
import { createFakeRuntime } from "../../support/fake-runtime.ts";
import { runInWorld } from "../../support/fake-world.ts";
import { storedReport } from "../../support/window-state.ts";

// The keys as a database returns them: by length, then by letter.
const report: ContextReport = {
  ...storedReport,
  total: 6000,
  counted: 5000,
  factor: 1.2,
  tiers: {
    system: { tokens: 2000, granted: 1500, parts: { tools: 1200, changes: 100, coreMemory: 300, instructions: 400 } },
    archive: { tokens: 1000, granted: 1000, parts: { summaries: 400, olderTurns: 600 } },
    working: { tokens: 3000, granted: 3000, parts: { turn: 0, recentTurns: 3000 } },
  },
  leftOut: [{ part: "turns", count: 1, tokens: 900, reason: "older than what the budget has room for" }],
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

async function run(shown: ContextReport, ...flags: readonly string[]) {
  const runtime = createFakeRuntime({ agents: ["main"] });
  const fake = createFakeAgent({ steps: [step] });
  const agent = { ...fake, context: () => ({ ...fake.context(), report: shown }), step: async () => step };
  const agents = { ...runtime.agents, open: async () => agent };
  return runInWorld(["context", ...flags], { runtime: { ...runtime, agents } });
}

test("the tiers and their parts stand in the order of the request, without those that are empty", async () => {
  const { stdout, exitCode } = await run(report);
  const lines = stdout.split("\n");
  expect(lines.slice(2, 7).map((line) => line.replaceAll(/ {2,}/gu, " | "))).toEqual([
    "system | 2,000 | #####............... | tools 1,200, instructions 400, core memory 300, end of request 100, over its share of 1,500",
    "working | 3,000 | #######............. | last turns 3,000",
    "archive | 1,000 | ##.................. | summaries 400, older turns 600",
    "free | 1,168 | ###.................",
    "reply | 1,024 | ###................. | kept free for the reply",
  ]);
  expect(stdout).toContain("left out: 1 turn, 900 tokens: older than what the budget has room for");
  expect(stdout).toContain("1,040 earlier messages have left the window; in their place: 1 summary");
  expect(exitCode).toBe(0);
});

test.each([
  [0, "no summary"],
  [1, "1 summary"],
  [1200, "1,200 summaries"],
])("%d summaries are told as: %s", async (summaries, text) => {
  const { stdout } = await run({ ...report, compacted: { messages: 7, summaries } });
  expect(stdout).toContain(`7 earlier messages have left the window; in their place: ${text}\n`);
});

test("more than the budget leaves nothing free, never less than nothing", async () => {
  const { stdout } = await run({ ...report, total: 9000 });
  expect(stdout).toMatch(/^free +0 +\.{20}$/mu);
});

test.each(["0", "abc", "1.5", "1e3", "9".repeat(40)])(
  "--step %s is refused before anything is opened",
  async (value) => {
    const { stdout, stderr, exitCode, opened } = await run(report, "--step", value);
    expect(stderr).toContain(`--step: expected a whole number from 1 to 999999999, got "${value}".`);
    expect([stdout, exitCode, opened]).toEqual(["", 2, undefined]);
  },
);
