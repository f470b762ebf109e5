// One agent for two people: it has one persona, and for each of them a human module, a history and an archive of their own.
import { strict as assert } from "node:assert";
import { createRuntime, type Runtime } from "palimpsest";

async function tell(runtime: Runtime, text: string): Promise<string> {
  const agent = await runtime.agents.open("concierge");
  for await (const event of agent.send(text)) {
    if (event.type === "turn-end") return event.text;
  }
  return "";
}

const ada = await createRuntime({ dataDir: "data", model: "demo", userId: "ada" });
const ben = await createRuntime({ dataDir: "data", model: "demo", userId: "ben" });
await ada.agents.create({ name: "concierge", persona: "I look after guests." });
await ada.agents.share("concierge", "ben");

await tell(ada, "My name is Ada and I love figs.");
await tell(ben, "My name is Ben.");

assert.match(await tell(ada, "What is my name?"), /Ada/);
assert.match(await tell(ben, "What is my name?"), /Ben/);
assert.doesNotMatch(await tell(ben, "What did I say about figs?"), /love figs/);
const [persona] = await ben.memory.show("concierge");
assert.equal(persona?.value, "I look after guests.");
process.stdout.write(`Ben's agent knows: ${(await ben.memory.show("concierge"))[1]?.value}\n`);
await ben.close();
await ada.close();
