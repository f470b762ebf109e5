// One agent for two people: one persona, and a separate human module, history and archive for each of them.
import { strict as assert } from "node:assert";
import { createRuntime, type Runtime } from "palimpsest";

async function report(runtime: Runtime, text: string): Promise<string> {
  const [concierge] = await runtime.agents.list();
  const agent = await runtime.agents.open(concierge!.id);
  for await (const event of agent.send(text)) {
    if (event.type === "turn-end") return event.text;
  }
  return "";
}

const ada = await createRuntime({ dataDir: "data", model: "demo", userId: "ada" });
const ben = await createRuntime({ dataDir: "data", model: "demo", userId: "ben" });
await ada.agents.create({ name: "concierge", persona: "I look after guests." });
// Ben accepts Ada's offer. For him, the agent's name contains its owner.
await ada.agents.share("concierge", "ben");
const { name } = await ben.agents.accept("ada/concierge");

await report(ada, "My name is Ada and I love figs.");
await report(ben, "My name is Ben.");

assert.match(await report(ada, "What is my name?"), /Ada/);
assert.match(await report(ben, "What is my name?"), /Ben/);
assert.doesNotMatch(await report(ben, "What did I say about figs?"), /love figs/);
const [persona] = await ben.memory.show(name);
assert.equal(persona?.value, "I look after guests.");
process.stdout.write(`Ben's agent knows: ${(await ben.memory.show(name))[1]?.value}\n`);

// After the owner has deleted the agent, Ben can still read his conversations with it.
await ada.agents.delete("concierge");
const [conversation] = await ben.conversations.list(name);
assert.match((await ben.conversations.export(conversation!.id))[0]!.text, /My name is Ben/);
await assert.rejects(report(ben, "Are you there?"));
await ben.close();
await ada.close();
