// The process that is killed: takes up what the one before left, checks that nothing was lost, and runs turns until its end.
// It writes lines: `ack N` for an input that is committed, `violation …`, and `ready` when the checks are done.
import { writeSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { createRuntime } from "../../src/compose.ts";
import { toAnthropicRequest } from "../../src/llm/anthropic/to-request.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/llm/model.ts";
import { toChatRequest } from "../../src/llm/openai/to-chat-request.ts";
import { checkRequest } from "../../src/llm/scripted/check-request.ts";
import { noUsage } from "../../src/message.ts";
import { openStore, type StoreOptions } from "../../src/store/open-store.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { checkBody } from "../support/journal-checks.ts";
import { type Boundary, boundaries, createKiller, watchedStore } from "./boundaries.ts";
import { brokenOrder } from "./broken-order.ts";
import { findViolations } from "./invariants.ts";

const { values } = parseArgs({
  options: {
    folder: { type: "string" },
    url: { type: "string" },
    agent: { type: "string", default: "crash" },
    boundary: { type: "string" },
    time: { type: "string", default: "1" },
    acknowledged: { type: "string", default: "" },
    resume: { type: "boolean", default: false },
    turns: { type: "string", default: "1000" },
    "broken-order": { type: "boolean", default: false },
  },
});

const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};
const boundary: Boundary | null = boundaries.find((name) => name === values.boundary) ?? null;
const killer = createKiller(boundary, Number(values.time));

const increment = defineTool({
  name: "increment",
  description: "Adds one to the number in the human section.",
  parameters: z.object({}),
  effects: "memory",
  run: (_args, { core }) => {
    core.edit("human", (value) => String(Number(value || "0") + 1));
    killer.passes("in a tool");
  },
});

const connection: StoreOptions["connection"] =
  values.url === undefined
    ? { kind: "embedded", folder: values.folder ?? "", host: "worker" }
    : { kind: "server", url: values.url };
const store = await openStore({ connection });
const runtime = await createRuntime({
  store: watchedStore(values["broken-order"] ? brokenOrder(store) : store, killer),
  model: "counting",
  models: [countingModel()],
  embedder: null,
  tools: { add: [increment] },
  coreMemoryLimit: 100,
});
const agent = await runtime.agents.open(values.agent, { create: {} });
const acknowledged = values.acknowledged === "" ? [] : values.acknowledged.split(",").map(Number);
let next =
  Math.max(0, ...acknowledged, ...agent.messages.map(({ text }) => Number(/^turn (\d+)$/.exec(text)?.[1] ?? 0))) + 1;

if (agent.unfinished && values.resume) await finish(agent.resume());
else await takeTurn();
for (const violation of await findViolations(runtime, agent, { acknowledged })) say(`violation ${violation}`);
say("ready");
for (let turn = 0; turn < Number(values.turns); turn += 1) await takeTurn();
await runtime.close();
await store.close();

async function takeTurn(): Promise<void> {
  const number = next;
  next += 1;
  await finish(agent.send(`turn ${number}`), number);
}

async function finish(events: ReturnType<typeof agent.send>, number?: number): Promise<void> {
  for await (const event of events) {
    if (event.type === "turn-start" && number !== undefined) say(`ack ${number}`);
    if (event.type === "turn-end" && event.stopReason !== "end-turn")
      say(`violation a turn ended with ${event.stopReason}`);
  }
}

/** Asks for an increment and a passage, then says that it is done; refuses a request that a provider would refuse. */
function countingModel(): Model {
  let calls = 0;
  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    for (const problem of problemsOf(request)) say(`violation invalid request: ${problem}`);
    killer.passes("in the model");
    if (request.messages.at(-1)?.role === "tool") {
      yield { type: "text-delta", text: "done" };
      yield { type: "end", stopReason: "end", usage: noUsage };
      return;
    }
    calls += 1;
    const id = `${process.pid}_${calls}`;
    const content = JSON.stringify({ content: `passage ${id} ${Date.now()}` });
    yield { type: "tool-call", callId: `i_${id}`, name: "increment", arguments: "{}" };
    yield { type: "tool-call", callId: `a_${id}`, name: "archival_memory_insert", arguments: content };
    yield { type: "end", stopReason: "tool-calls", usage: noUsage };
  }
  return { name: "counting", contextWindow: 10_000_000, stream };
}

function problemsOf(request: ModelRequest): readonly string[] {
  const model = "counting";
  return [
    ...checkRequest(request),
    ...checkBody("anthropic", toAnthropicRequest(request, { model, origin: model })),
    ...checkBody("chat", toChatRequest(request, { model, limitField: "max_tokens", statePlace: "joined" })),
  ];
}
