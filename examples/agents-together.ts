// Two agents that write to each other, and share a module of core memory: the researcher asks the writer and waits for the text.
import { strict as assert } from "node:assert";
import { createRuntime } from "palimpsest";
import { createScriptedModel } from "palimpsest/testing";

// Scripted models, so that the example needs no key. With a model of a provider, `researcher` decides by itself when to ask.
const researcher = createScriptedModel({
  name: "researcher",
  replies: [
    {
      toolCalls: [{ name: "core_memory_append", arguments: { name: "facts", content: "Otters sleep holding hands." } }],
    },
    {
      toolCalls: [
        { name: "message_agent", arguments: { to: "writer", text: "Please write about facts.", wait: true } },
      ],
    },
    { text: "The writer made a text of it." },
  ],
});
const writer = createScriptedModel({ name: "writer", replies: [{ text: "Otters hold hands when they sleep." }] });

const runtime = await createRuntime({ dataDir: "data", model: "researcher", models: [researcher, writer] });
const settings = { addedTools: ["message_agent", "reply"] } as const;
const facts = await runtime.modules.create({ label: "facts", value: "" });
for (const name of ["researcher", "writer"]) {
  await runtime.agents.create({ name, model: name, settings, persona: "", human: "" });
  await runtime.modules.attach(name, facts.id);
}

const agent = await runtime.agents.open("researcher");
const paused = await agent.send("Find a fact about otters, and let the writer make a text of it.");
assert.equal(paused.stopReason, "awaiting-reply");
// The writer answers in the background, and the researcher's turn continues with the answer.
await runtime.idle();
let last = "";
for await (const event of agent.events(paused.turnId)) if (event.type === "turn-end") last = event.text;
assert.match(last, /writer made a text/);

const [answer, question] = await runtime.agentMessages.list("researcher");
assert.equal(question?.outcome, "answered");
process.stdout.write(`${answer?.from} answered ${answer?.to}: ${answer?.text}\n`);
await runtime.close();
