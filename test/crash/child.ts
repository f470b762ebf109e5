// The process that is killed: takes up what the one before left, checks that nothing was lost, and runs turns until its end.
// It writes lines: `ack N` for an input that is committed, `kept N` for a turn that is in the node memory, `violation …`, and `ready`
// when the checks are done. A process of the compactions has a small window, and summarizes after every few turns.
import { writeSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import { toAnthropicRequest } from "../../src/model/llm/anthropic/to-request.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/model/llm/model.ts";
import { toChatRequest } from "../../src/model/llm/openai/to-chat-request.ts";
import { checkRequest } from "../support/check-request.ts";
import { noUsage } from "../../src/base/message/message.ts";
import { openStore } from "../../src/store/open-store.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { checkBody } from "../support/journal-checks.ts";
import { type Boundary, compactionBoundaries, createKiller, turnBoundaries, watchedStore } from "./boundaries.ts";
import { brokenOrder, brokenOrders } from "./broken-order.ts";
import { fileText, findViolations, nodeApp, turnOf } from "./invariants.ts";
import { connectionOf } from "./child-connection.ts";

const { values } = parseArgs({
  options: {
    folder: { type: "string" },
    url: { type: "string" },
    agent: { type: "string", default: "crash" },
    boundary: { type: "string" },
    time: { type: "string", default: "1" },
    acknowledged: { type: "string", default: "" },
    kept: { type: "string", default: "" },
    compactions: { type: "boolean", default: false },
    resume: { type: "boolean", default: false },
    turns: { type: "string", default: "1000" },
    "broken-order": { type: "string" },
  },
});

const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};
const boundary: Boundary | null =
  [...turnBoundaries, ...compactionBoundaries].find((name) => name === values.boundary) ?? null;
const broken = brokenOrders.find((name) => name === values["broken-order"]);
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

const connection = connectionOf(values);
const store = await openStore({ connection });
// A broken order goes through the watched commits, so that a kill can come between them.
const watched = watchedStore(store, killer);
const runtime = await composeRuntime(
  {
    model: "counting",
    models: [countingModel()],
    embedder: null,
    tools: { add: [increment] },
    coreMemoryLimit: 100,
    ...(values.compactions ? { compactMessages: 12, keepLast: 4 } : {}),
  },
  { store: broken === undefined ? watched : brokenOrder(watched, broken) },
);
const agent = await runtime.agents.open(values.agent, { create: {} });
// Compressed after a few turns, so that kills come between both forms.
const nodeOptions = { app: nodeApp, conversation: values.agent, node: "node", compressAbove: 1024 };
const node = runtime.nodeMemory.open(nodeOptions);
const numbersOf = (list: string): readonly number[] => (list === "" ? [] : list.split(",").map(Number));
const [acknowledged, kept] = [numbersOf(values.acknowledged), numbersOf(values.kept)];
const said = agent.messages.filter(({ role }) => role === "user").map(turnOf);
let next = Math.max(0, ...acknowledged, ...kept, ...said) + 1;

if (agent.unfinished && values.resume) await finish(agent.resume());
else await takeTurn();
const user = store.as(runtime.userId);
const expected = { acknowledged, kept, connection };
for (const violation of await findViolations(runtime, { agent, user }, expected)) say(`violation ${violation}`);
say("ready");
for (let turn = 0; turn < Number(values.turns); turn += 1) await takeTurn();
await runtime.close();
await store.close();

async function takeTurn(): Promise<void> {
  const number = next;
  next += 1;
  const files = [{ name: `${number}.txt`, data: Buffer.from(fileText(number)) }];
  await finish(agent.send(`turn ${number}`, { files }), number);
  node.addMessages({
    messageId: `m${number}`,
    parentMessageId: null,
    userContent: `ask ${number}`,
    assistantContent: `answer ${number}`,
  });
  await node.flush();
  say(`kept ${number}`);
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
    if (request.tools.length === 0) {
      killer.passes("in a summary");
      yield { type: "text-delta", text: "They counted." };
      yield { type: "end", stopReason: "end", usage: noUsage };
      return;
    }
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
    ...checkBody("chat", toChatRequest(request, { model, limitField: "max_tokens", stateChannel: "joined" })),
  ];
}
