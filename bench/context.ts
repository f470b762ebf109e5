// Measures the time to compile a window, for histories of several lengths, and the unchanged prefix of each request.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Agent } from "../src/agent/agent.ts";
import { createRuntime } from "../src/runtime/compose/compose.ts";
import type { Runtime } from "../src/runtime/runtime.ts";
import { createInstantModel } from "./instant-model.ts";
import { alternate, quantile, type Row, rowOf, type SuiteResult } from "./measure.ts";
import { type Replay, replayConversation } from "./replay.ts";
import { openFloor } from "./turn-floor.ts";
import { seedHistory } from "./turn-history.ts";

const histories = [100, 1000, 10_000, 100_000] as const;
const inWindow = 100;
const rounds = 300;
const warmups = 50;

export async function benchContext(): Promise<SuiteResult> {
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-bench-"));
  try {
    const rows = await benchCompile(folder);
    const replays = await benchPrefix();
    const stable = replays.find(({ layout, strategy }) => layout === "stable" && strategy === "recursive");
    return { rows, more: { stablePrefixShare: stable?.shares.between.mean, replays } };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchCompile(folder: string): Promise<readonly Row[]> {
  const runtime = await createRuntime({
    dataDir: folder,
    model: "instant-text",
    models: [createInstantModel("text")],
    embedder: null,
    timeZone: "UTC",
  });
  const floor = await openFloor({ folder });
  try {
    const agents: Agent[] = [];
    for (const messages of histories) agents.push(await openWithHistory(runtime, floor, messages));
    const times = await alternate(
      agents.map((agent) => async () => agent.context()),
      { rounds, warmups },
    );
    const medians = times.map((each) => quantile(each, 0.5));
    const spread = Math.max(...medians) / Math.min(...medians);
    process.stdout.write(`compile: slowest over fastest history ${spread.toFixed(2)}\n`);
    return times.map((each, at) => {
      const note = `${agents[at]?.messages.length} messages in the window`;
      const ratio = (medians[at] ?? Number.NaN) / (medians[0] ?? Number.NaN);
      return rowOf(`compile, ${histories[at]?.toLocaleString("en")} messages of history`, each, { ratio, note });
    });
  } finally {
    await floor.close();
    await runtime.close();
  }
}

type Floor = Awaited<ReturnType<typeof openFloor>>;

async function openWithHistory(runtime: Runtime, floor: Floor, messages: number): Promise<Agent> {
  const name = `bench-${messages}`;
  const record = await runtime.agents.create({ name, model: "instant-text" });
  const { conversationId } = await runtime.agents.open(name, { conversation: "new" });
  const history = { userId: runtime.userId, agentId: record.id, conversationId, messages, maxInWindow: inWindow };
  await seedHistory(floor.sql, history);
  return runtime.agents.open(name, { conversation: { id: conversationId } });
}

async function benchPrefix(): Promise<readonly Replay[]> {
  const replays: Replay[] = [];
  for (const layout of ["stable", "inline", "recompiled"] as const) {
    replays.push(await replayConversation({ layout, strategy: "recursive" }));
  }
  for (const strategy of ["ring", "truncate"] as const) {
    replays.push(await replayConversation({ layout: "stable", strategy }));
  }
  process.stdout.write(
    "\nshare of the previous request that begins the next, 200 turns, 40 memory edits, a window of 32,768 tokens\n",
  );
  for (const { layout, strategy, shares, bytes, sentTokens, compactions, renewals } of replays) {
    const { between, afterCompaction } = shares;
    const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
    process.stdout.write(
      `${`${layout}, ${strategy}`.padEnd(24)} mean ${percent(between.mean)}, median ${percent(between.median)}, minimum ${percent(between.minimum)} of ${between.requests}; ` +
        `after ${compactions} compactions ${percent(afterCompaction.mean)}; ${renewals} other renewals; ${sentTokens.toLocaleString("en")} tokens sent; ` +
        `uncached ${kilobytes(bytes.uncached)} kB per request, all at list price ${kilobytes(bytes.priced)} kB\n`,
    );
  }
  return replays;
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toLocaleString("en", { maximumFractionDigits: 1 });
}
