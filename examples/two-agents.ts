// Two agents in one runtime: each has its own memory, and the program passes one agent's report to the other.
import { strict as assert } from "node:assert";
import { type Agent, createRuntime } from "palimpsest";

async function ask(agent: Agent, text: string): Promise<string> {
  for await (const event of agent.send(text)) {
    if (event.type === "turn-end") return event.text;
  }
  return "";
}

const runtime = await createRuntime({ dataDir: "data", model: "demo" });
const scout = await runtime.agents.open("scout", { create: { persona: "My name is Scout. I explore." } });
const archivist = await runtime.agents.open("archivist", { create: { persona: "My name is Archivist. I keep." } });

await ask(scout, "Remember that the harbour closes at nine.");
const report = await ask(scout, "What did I say about the harbour?");
await ask(archivist, `Remember that Scout reports this: ${report.replaceAll("\n", " ")}`);

assert.match(report, /nine/);
assert.equal((await runtime.archival.search("archivist", "harbour")).total, 1);
assert.equal(await runtime.archival.count("scout"), 1);
process.stdout.write(`Scout says: ${report}\n`);
await runtime.close();
