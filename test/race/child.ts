// One of several processes that send to the same conversations of the same agents.
// It writes lines: `sent KEY` before a send, `done KEY` after its end, `error KEY CODE`, `violation …`.
// A failed send is sent again under its key, as a careful program does, until it was accepted.
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { z } from "zod";
import type { Agent } from "../../src/agent/agent.ts";
import { createRuntime } from "../../src/runtime/compose/compose.ts";
import { RuntimeError } from "../../src/base/errors.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/model/llm/model.ts";
import { checkRequest } from "../support/check-request.ts";
import { noUsage } from "../../src/base/message/message.ts";
import { defineTool } from "../../src/tool/define-tool.ts";

const { values } = parseArgs({
  options: {
    folder: { type: "string" },
    url: { type: "string" },
    name: { type: "string", default: "" },
    turns: { type: "string", default: "50" },
    /** `agent:conversation`, with commas between. */
    places: { type: "string", default: "" },
  },
});

const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};

const increment = defineTool({
  name: "increment",
  description: "Adds one to the number in the human section.",
  parameters: z.object({}),
  effects: "memory",
  run: (_args, { core }) => core.edit("human", (value) => String(Number(value || "0") + 1)),
});

/** Asks for an increment and a passage, then answers. */
const model: Model = {
  name: "racing",
  contextWindow: 10_000_000,
  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    for (const problem of checkRequest(request)) say(`violation invalid request: ${problem}`);
    await sleep(Math.random() * 4);
    if (request.messages.at(-1)?.role === "tool") {
      yield { type: "text-delta", text: "done" };
      yield { type: "end", stopReason: "end", usage: noUsage };
      return;
    }
    const id = `${values.name}_${Math.random().toString(36).slice(2)}`;
    yield { type: "tool-call", callId: `i_${id}`, name: "increment", arguments: "{}" };
    const content = JSON.stringify({ content: `passage ${id}` });
    yield { type: "tool-call", callId: `a_${id}`, name: "archival_memory_insert", arguments: content };
    yield { type: "end", stopReason: "tool-calls", usage: noUsage };
  },
};

const place = values.url === undefined ? { dataDir: values.folder ?? "" } : { databaseUrl: values.url };
const runtime = await createRuntime({
  ...place,
  engineHost: "process",
  model: "racing",
  models: [model],
  embedder: null,
  tools: { add: [increment] },
  leaseSeconds: 3,
  waitSeconds: 2,
});

const agents: Agent[] = [];
for (const at of values.places.split(",")) {
  const [agent = "", id = ""] = at.split(":");
  agents.push(await insist(`open_${id}`, () => runtime.agents.open(agent, { conversation: { id } })));
}
say("ready");
for (let turn = 0; turn < Number(values.turns); turn += 1) {
  const key = `${values.name}.${turn}`;
  say(`sent ${key}`);
  await insist(key, () => take(agents[turn % agents.length] as Agent, key));
  say(`done ${key}`);
}
await runtime.close();

async function take(agent: Agent, key: string): Promise<void> {
  try {
    for await (const event of agent.send(`input ${key}`, { idempotencyKey: key })) {
      if (event.type === "turn-end" && event.stopReason !== "end-turn") {
        say(`violation a turn ended with ${event.stopReason}: ${event.error?.message ?? ""}`);
      }
    }
  } catch (error) {
    const code = error instanceof RuntimeError ? error.code : "";
    // It was accepted before the failure, or taken up by another: somebody answers it.
    if (code !== "input_repeated" && code !== "input_taken_over") throw error;
  }
}

/** Tries again what failed with an error of the kinds that pass; any other is a violation. */
async function insist<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const code = error instanceof RuntimeError ? error.code : "none";
      say(`error ${key} ${code}`);
      if (!["agent_busy", "lease_lost", "store_unreachable", "store_failed"].includes(code)) {
        say(`violation ${key} failed with ${String(error)}`);
        throw error;
      }
      await sleep(100);
    }
  }
}
