// A turn as a stream of events, for programs that log, stream or display.
import { strict as assert } from "node:assert";
import { type AgentEvent, createRuntime } from "palimpsest";

function describe(event: AgentEvent): string {
  switch (event.type) {
    case "tool-call":
      return `${event.name} ${event.arguments}`;
    case "memory-edit":
      return `${event.label}, revision ${event.revision}: ${JSON.stringify(event.after)}`;
    case "turn-end":
      return `${event.stopReason} after ${event.steps} steps, ${event.usage.inputTokens} tokens in`;
    default:
      return "";
  }
}

const runtime = await createRuntime({ dataDir: "data", model: "demo" });
const agent = await runtime.agents.open("observer", { create: { human: "" } });
const types: string[] = [];
for await (const event of agent.send("I like sailing and green tea.")) {
  types.push(event.type);
  if (event.type !== "text-delta") process.stdout.write(`${event.sequence} ${event.type} ${describe(event)}\n`);
}
assert.equal(types[0], "turn-start");
assert.equal(types.at(-1), "turn-end");
assert.ok(types.includes("memory-edit"));
await runtime.close();
