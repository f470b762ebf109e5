// Measures the time of a durable turn, with a model that answers at once, over histories of 10 to 100,000 messages. The
// floor writes and reads the same rows with bare SQL over the same kind of connection. All variants are measured
// alternately in one run on one database: BENCH_DATABASE_URL, or else an embedded one.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Agent } from "../src/agent/agent.ts";
import { createRuntime, type RuntimeOptions } from "../src/runtime/compose/compose.ts";
import type { Runtime } from "../src/runtime/runtime.ts";
import { createInstantModel } from "./instant-model.ts";
import { alternate, quantile, type Row, rowOf } from "./measure.ts";
import { type Floor, openFloor } from "./turn-floor.ts";
import { seedHistory, seedOthers } from "./turn-history.ts";

const histories = [10, 1000, 100_000] as const;
const unknownHistories = [10_000, 100_000] as const;
const kinds = ["text", "tool"] as const;
const rounds = 150;
const warmups = 50;

export async function benchTurn(): Promise<readonly Row[]> {
  const databaseUrl = process.env["BENCH_DATABASE_URL"];
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-bench-"));
  const place = databaseUrl === undefined ? { dataDir: folder } : { databaseUrl };
  const models = kinds.map(createInstantModel);
  const shared = { ...place, model: "instant-text", models, coreMemoryLimit: 1_000_000, timeZone: "UTC" };
  const runtime = await createRuntime({ ...shared, embedder: null });
  const silent = await createRuntime({ ...shared, embedder: null, keepEventsMinutes: 0 });
  // The default of a program: the package's local embedder, in its thread.
  const embedding = await createRuntime(shared);
  const floor = await openFloor(databaseUrl === undefined ? { folder } : { url: databaseUrl });
  try {
    return [
      ...(await measure(runtime, floor, "text")),
      ...(await measure(runtime, floor, "tool")),
      ...(await compare("stored events", { without: silent, with: runtime }, floor)),
      // A turn does not wait for vectors: an embedder adds no time.
      ...(await compare("the local embedder", { without: runtime, with: embedding }, floor)),
      // Last, because the server vacuums afterwards what it did not meanwhile.
      ...(await measureUnknown(shared, floor)),
    ];
  } finally {
    await floor.close();
    await embedding.close();
    await silent.close();
    await runtime.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(runtime: Runtime, floor: Floor, kind: "text" | "tool"): Promise<readonly Row[]> {
  const agents: Agent[] = [];
  for (const messages of histories) agents.push(await openWithHistory(runtime, floor, { kind, messages }));
  const windows = agents.map((agent) => agent.messages.length);
  const model = createInstantModel(kind);
  const works = [() => model.callBare(), () => floor.turn(kind), ...agents.map((agent) => () => runTurn(agent))];
  const [bare = [], sql = [], ...turns] = await alternate(works, { rounds, warmups });
  const medians = turns.map((times) => quantile(times, 0.5) - quantile(bare, 0.5));
  process.stdout.write(
    `${kind}: slowest over fastest history ${(Math.max(...medians) / Math.min(...medians)).toFixed(2)}\n`,
  );
  return [
    rowOf(`${kind}: bare model call`, bare),
    rowOf(`${kind}: bare SQL (floor)`, sql),
    ...turns.map((times, index) => {
      const over = medians[index] ?? Number.NaN;
      const note = `${over.toFixed(2)} ms over the model; ${windows[index]} messages in the window`;
      const name = `${kind}: turn, ${histories[index]?.toLocaleString("en")} messages of history`;
      return rowOf(name, times, { ratio: over / quantile(sql, 0.5), note });
    }),
  ];
}

/** Measures a text turn with and without a part of the runtime. */
async function compare(
  part: string,
  runtimes: { readonly without: Runtime; readonly with: Runtime },
  floor: Floor,
): Promise<readonly Row[]> {
  const subject = { kind: "text", messages: 1000 } as const;
  const without = await openWithHistory(runtimes.without, floor, subject);
  const complete = await openWithHistory(runtimes.with, floor, subject);
  const [bare = [], made = []] = await alternate([() => runTurn(without), () => runTurn(complete)], {
    rounds,
    warmups,
  });
  const ratio = quantile(made, 0.5) / quantile(bare, 0.5);
  const note = `${(quantile(made, 0.5) - quantile(bare, 0.5)).toFixed(2)} ms more`;
  return [rowOf(`text: turn without ${part}`, bare), rowOf(`text: turn with ${part}`, made, { ratio, note })];
}

/** Measures text turns of users who are missing from the statistics, as after an import: their number of messages is unknown. */
async function measureUnknown(options: RuntimeOptions, floor: Floor): Promise<readonly Row[]> {
  const rows: Row[] = [];
  await floor.sql.unsafe("alter table messages set (autovacuum_enabled = off)");
  for (const messages of unknownHistories) {
    const runtime = await createRuntime({ ...options, embedder: null, userId: `unknown-${messages}-${Date.now()}` });
    try {
      const agent = await openWithHistory(runtime, floor, { kind: "text", messages, isUnknown: true });
      const works = [() => floor.turn("text"), () => runTurn(agent)];
      const [sql = [], times = []] = await alternate(works, { rounds, warmups });
      const name = `text: ${messages.toLocaleString("en")} messages unknown to statistics`;
      rows.push(rowOf(name, times, { ratio: quantile(times, 0.5) / quantile(sql, 0.5) }));
    } finally {
      await runtime.close();
    }
  }
  await floor.sql.unsafe("alter table messages reset (autovacuum_enabled)");
  return rows;
}

interface Subject {
  readonly kind: "text" | "tool";
  readonly messages: number;
  /** Whether the user is to be missing from the statistics, which know others. */
  readonly isUnknown?: boolean;
}

async function openWithHistory(
  runtime: Runtime,
  floor: Floor,
  { kind, messages, isUnknown = false }: Subject,
): Promise<Agent> {
  const name = `bench-${kind}-${messages}-${Date.now()}`;
  const record = await runtime.agents.create({ name, model: `instant-${kind}`, persona: "", human: "" });
  const { conversationId } = await runtime.agents.open(name, { conversation: "new" });
  if (isUnknown) await seedOthers(floor.sql, record.id);
  const history = { userId: runtime.userId, agentId: record.id, conversationId, messages, isAnalyzed: !isUnknown };
  await seedHistory(floor.sql, history);
  return runtime.agents.open(name, { conversation: { id: conversationId } });
}

async function runTurn(agent: Agent): Promise<void> {
  for await (const event of agent.send("How is the weather at the harbour today?")) {
    if (event.type === "turn-end" && event.stopReason !== "end-turn") {
      throw new Error(`The turn ended with ${event.stopReason}.`);
    }
  }
}
