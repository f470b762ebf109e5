// A process of the scale benchmark: waits for the start, runs its turns with a model that answers at once, and reports the time.
import { setTimeout } from "node:timers/promises";
import type { Agent } from "../src/agent/agent.ts";
import { createHost } from "../src/runtime/compose/compose.ts";
import type { Model, ModelRequest } from "../src/model/llm/model.ts";
import { noUsage } from "../src/base/message/message.ts";
import { createInstantModel } from "./instant-model.ts";

/** `users` send at once, each in an own conversation; `senders` send at once in one conversation of the first user. */
export interface ChildTask {
  readonly databaseUrl: string;
  readonly users: readonly string[];
  readonly senders: number;
  /** Of each user, or of each sender. */
  readonly turns: number;
  /** Milliseconds that the model takes. */
  readonly modelMs: number;
}

export interface ChildReport {
  readonly turns: number;
  readonly seconds: number;
  readonly cpuMs: number;
}

/** The agent that each user has. */
export const benchAgent = "bench";

process.once("message", (task: ChildTask) => void run(task));

async function run(task: ChildTask): Promise<void> {
  const { databaseUrl, users, senders, turns, modelMs } = task;
  const models = [slowed(createInstantModel("text"), modelMs)];
  const host = await createHost({ databaseUrl, models, model: "instant-text", embedder: null, timeZone: "UTC" });
  const agents: Agent[] = [];
  for (const user of users) {
    for (let sender = 0; sender < senders; sender += 1) {
      agents.push(await host.forUser(user).agents.open(benchAgent, { conversation: "last" }));
    }
  }
  process.send!("ready");
  await new Promise((resolve) => process.once("message", resolve));
  const started = performance.now();
  const before = process.cpuUsage();
  await Promise.all(agents.map((agent) => send(agent, turns)));
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - started) / 1000;
  await host.close();
  const report: ChildReport = { turns: agents.length * turns, seconds, cpuMs: (user + system) / 1000 };
  process.send!(report, () => process.disconnect());
}

async function send(agent: Agent, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    for await (const event of agent.send("How is the weather at the harbour today?", { waitMs: 600_000 })) {
      if (event.type === "turn-end" && event.stopReason !== "end-turn") {
        throw new Error(`The turn ended with ${event.stopReason}.`);
      }
    }
  }
}

function slowed(model: Model, ms: number): Model {
  return {
    ...model,
    async *stream(request: ModelRequest, options) {
      if (ms > 0) await setTimeout(ms);
      // A provider reports usage; without it, a turn needs one more commit.
      for await (const event of model.stream(request, options)) {
        yield event.type === "end" ? { ...event, usage: { ...noUsage, inputTokens: 400, outputTokens: 12 } } : event;
      }
    },
  };
}
