// What a program for MemGPT 0.3 does by its client: an agent with a persona, a message in MemGPT's protocol, and its three memories.
import { strict as assert } from "node:assert";
import { ChatMemory, createRuntime } from "palimpsest";

// create_client()
const runtime = await createRuntime({ dataDir: "data", model: "demo", protocol: "heartbeat" });

// client.create_agent(name="sam", memory=ChatMemory(human=…, persona=…))
const memory = new ChatMemory({ persona: "I am Sam.", human: "Name: Ada" });
await runtime.agents.create({ name: "sam", memory });

// client.user_message(agent_id, message)
const agent = await runtime.agents.open("sam");
for await (const event of agent.send("I live in Lisbon.")) {
  if (event.type === "thought-delta") process.stdout.write(event.text); // internal_monologue
  if (event.type === "tool-call") process.stdout.write(`${event.name}\n`); // function_call
  if (event.type === "tool-result") process.stdout.write(`${event.status}\n`); // function_return
  if (event.type === "text-delta") process.stdout.write(event.text); // assistant_message
}

// client.get_agent_memory(agent_id)["core_memory"], client.update_agent_core_memory(agent_id, {"persona": …})
const human = agent.memory.read("human");
await runtime.memory.set("sam", "persona", "I am Sam, and I like maps.");

// client.insert_archival_memory(agent_id, text), client.get_archival_memory(agent_id)
await runtime.archival.add("sam", "The harbour closes at nine.");
const { hits } = await runtime.archival.search("sam", "harbour");

// client.get_messages(agent_id), and the tool conversation_search
const found = await runtime.recall.search("sam", "Lisbon");
await runtime.close();

assert.match(human, /Lisbon/);
assert.equal(hits[0]?.text, "The harbour closes at nine.");
assert.ok(found.hits.length > 0);
