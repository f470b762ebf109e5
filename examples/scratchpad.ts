// The state of a task as typed fields in the prompt: the default fields, and a subclass with other fields.
import { strict as assert } from "node:assert";
import { createRuntime, ScratchpadMemory } from "palimpsest";
import { z } from "zod";

const ticketSchema = z.object({
  ticket: z.string().default("").describe("Its number."),
  severity: z.enum(["low", "high"]).default("low").describe("How bad it is."),
  tried: z.array(z.string()).default([]).describe("What was tried, one attempt an item."),
});

class TicketMemory extends ScratchpadMemory<typeof ticketSchema> {
  static override readonly type = "ticket";
  static override readonly schema = ticketSchema;
}

const runtime = await createRuntime({ dataDir: "data", model: "demo", memoryClasses: [TicketMemory] });
const memory = new ScratchpadMemory({
  scratchpad: {
    objective: "Migrate auth from JWT to session-based",
    key_facts: ["User pool: AWS Cognito", "~12k active sessions"],
    decisions: ["Redis for session storage", "30-min TTL, sliding expiry"],
    current_step: "Implement session middleware",
  },
});
const planner = await runtime.agents.open("planner", { create: { memory } });
for await (const event of planner.send('Call scratchpad_add with {"blockers": ["No staging Redis"]}')) {
  if (event.type === "memory-edit") process.stdout.write(`${event.label}: ${event.after}\n`);
}
assert.ok(planner.memory instanceof ScratchpadMemory);
assert.deepEqual(planner.memory.state.blockers, ["No staging Redis"]);

const support = await runtime.agents.open("support", { create: { memoryType: TicketMemory.type } });
for await (const event of support.send('Call scratchpad_update with {"ticket": "T-7", "severity": "worst"}')) {
  if (event.type === "tool-result") process.stdout.write(`${event.status}: ${event.text}\n`);
}
await runtime.memory.set("support", "scratchpad", '{"ticket": "T-7", "severity": "high"}');
const restored = await runtime.agents.open("support");
assert.ok(restored.memory instanceof TicketMemory);
assert.equal(restored.memory.state.severity, "high");
await runtime.close();
