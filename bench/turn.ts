// The time of a durable turn, with a model that takes none, over histories of 10 to 100,000 messages.
// The floor writes and reads the same rows by bare SQL over a connection of the same kind, alternately in the same run.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Agent } from "../src/agent/agent.ts";
import { createRuntime } from "../src/compose.ts";
import type { Model, ModelEvent, ModelRequest } from "../src/llm/model.ts";
import { noUsage } from "../src/message.ts";
import { alternate, quantile, type Row, rowOf } from "./measure.ts";
import { openFloor } from "./turn-floor.ts";
import { seedHistory } from "./turn-history.ts";

const histories = [10, 1000, 100_000] as const;
const rounds = 60;
const warmups = 15;

export async function benchTurn(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const medians = { text: new Map<number, number>(), tool: new Map<number, number>() };
  for (const messages of histories) {
    for (const kind of ["text", "tool"] as const) {
      const measured = await measureTurn(messages, kind);
      medians[kind].set(messages, quantile(measured.turn, 0.5));
      const label = `${messages.toLocaleString("en")} messages, ${kind}`;
      rows.push(
        rowOf(`${label}: bare model call`, measured.model),
        rowOf(`${label}: bare SQL (floor)`, measured.floor),
      );
      const over = quantile(measured.turn, 0.5) - quantile(measured.model, 0.5);
      rows.push(
        rowOf(`${label}: turn`, measured.turn, {
          ratio: over / quantile(measured.floor, 0.5),
          note: `${over.toFixed(2)} ms over the model; ${measured.window} messages in the window`,
        }),
      );
    }
  }
  for (const kind of ["text", "tool"] as const) {
    const all = [...medians[kind].values()];
    process.stdout.write(`${kind}: slowest over fastest history ${(Math.max(...all) / Math.min(...all)).toFixed(2)}\n`);
  }
  return rows;
}

interface Measured {
  readonly model: readonly number[];
  readonly floor: readonly number[];
  readonly turn: readonly number[];
  readonly window: number;
}

async function measureTurn(messages: number, kind: "text" | "tool"): Promise<Measured> {
  const databaseUrl = process.env["BENCH_DATABASE_URL"];
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-bench-"));
  const place = databaseUrl === undefined ? { dataDir: folder } : { databaseUrl };
  const model = instantModel(kind);
  const runtime = await createRuntime({
    ...place,
    model: model.name,
    models: [model],
    embedder: null,
    coreMemoryLimit: 1_000_000,
    timeZone: "UTC",
  });
  const name = `bench-${messages}-${kind}-${Date.now()}`;
  const record = await runtime.agents.create({ name });
  const floor = await openFloor(databaseUrl === undefined ? { folder } : { url: databaseUrl });
  const { conversationId } = await runtime.agents.open(name, { conversation: "new" });
  await seedHistory(floor.sql, { userId: runtime.userId, agentId: record.id, conversationId, messages });
  const agent = await runtime.agents.open(name, { conversation: { id: conversationId } });
  const window = agent.messages.length;
  try {
    const [bare = [], sql = [], turn = []] = await alternate(
      [() => callModel(model), () => floor.turn(kind), () => runTurn(agent)],
      { rounds, warmups },
    );
    return { model: bare, floor: sql, turn, window };
  } finally {
    await floor.close();
    await runtime.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runTurn(agent: Agent): Promise<void> {
  for await (const event of agent.send("How is the weather at the harbour today?")) {
    if (event.type === "turn-end" && event.stopReason !== "end-turn")
      throw new Error(`The turn ended with ${event.stopReason}.`);
  }
}

async function callModel(model: Model): Promise<void> {
  const request = { system: { instructions: "", memory: "" }, messages: [], tools: [], maxOutputTokens: 1 };
  for await (const event of model.stream(request, {})) if (event.type === "end") return;
}

/** Answers at once; as `tool`, with one memory edit first. */
function instantModel(kind: "text" | "tool"): Model {
  let calls = 0;
  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const last = request.messages.at(-1);
    if (kind === "tool" && last?.role === "user") {
      calls += 1;
      const edit = JSON.stringify({ name: "human", content: "likes sailing" });
      yield { type: "tool-call", callId: `call_${calls}`, name: "core_memory_append", arguments: edit };
      yield { type: "end", stopReason: "tool-calls", usage: noUsage };
      return;
    }
    yield { type: "text-delta", text: "Clear, with a light breeze from the west." };
    yield { type: "end", stopReason: "end", usage: noUsage };
  }
  return { name: "instant", contextWindow: 1_000_000, stream };
}
