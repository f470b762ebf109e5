// Chat with an agent that remembers, in ten lines. It uses the demo model, which needs no key.
import { strict as assert } from "node:assert";
import { createRuntime } from "palimpsest";

const runtime = await createRuntime({ dataDir: "data", model: "demo" });
const agent = await runtime.agents.open("scout", { create: { human: "Name: Ada" } });
let answer = "";
for (const text of ["My name is Ada and I live in Lisbon.", "What is my name?"]) {
  for await (const event of agent.send(text)) {
    if (event.type === "text-delta") process.stdout.write(event.text);
    if (event.type === "turn-end") answer = event.text;
  }
  process.stdout.write("\n");
}
await runtime.close();

assert.match(answer, /Ada/);
