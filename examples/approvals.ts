// A tool whose calls wait for a person: the decision may come later, in another process, and with other arguments.
import { strict as assert } from "node:assert";
import { type AgentEvent, createRuntime, defineTool } from "palimpsest";

const paid: number[] = [];

// The parameters are a JSON Schema here, as another program or an MCP server describes them; its types reach `run`.
const pay = defineTool({
  name: "pay_bill",
  description: "Pay a bill of the user.",
  parameters: {
    type: "object",
    properties: { to: { type: "string" }, euros: { type: "number", exclusiveMinimum: 0 } },
    required: ["to", "euros"],
  },
  approval: true,
  run: ({ to, euros }) => {
    paid.push(euros);
    return `Paid ${euros} euros to ${to}.`;
  },
});

const open = () => createRuntime({ dataDir: "data", model: "demo", tools: { add: [pay] } });

async function show(events: AsyncIterable<AgentEvent>): Promise<void> {
  for await (const event of events) {
    if (event.type === "tool-result") process.stdout.write(`${event.name} -> ${event.text}\n`);
    if (event.type === "turn-end") process.stdout.write(`The turn ended: ${event.stopReason}\n`);
  }
}

const first = await open();
const clerk = await first.agents.open("clerk", { create: { human: "" } });
await show(clerk.send('Call pay_bill with {"to": "the bakery", "euros": 40}'));
assert.deepEqual(paid, []);
await first.close();

// Tomorrow: the call still waits. Its arguments may be changed, and are checked against the schema.
const second = await open();
const agent = await second.agents.open("clerk");
const [waiting] = agent.pendingApprovals;
assert.equal(waiting?.toolName, "pay_bill");
await assert.rejects(async () => await agent.approve(waiting.callId, { arguments: { to: "the bakery", euros: -1 } }), {
  code: "input_invalid",
});
await show(agent.approve(waiting.callId, { arguments: { to: "the bakery", euros: 30 } }));
assert.deepEqual(paid, [30]);

// A denial and its reason are reported to the model, and the turn goes on.
await show(agent.send('Call pay_bill with {"to": "a stranger", "euros": 9000}'));
for (const call of agent.pendingApprovals) await show(agent.deny(call.callId, { reason: "We do not know them." }));
assert.deepEqual(paid, [30]);
await second.close();
