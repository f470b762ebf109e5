// A process of the memory benchmark: a host with 200 users, each of whom sends a message, and saves and finds a passage by meaning.
import { setTimeout } from "node:timers/promises";
import { createLocalEmbedder } from "../src/model/embedding/local/local-embedder.ts";
import { createHost } from "../src/runtime/compose/compose.ts";
import { createInstantModel } from "./instant-model.ts";

const host = await createHost({
  dataDir: process.argv[2]!,
  model: "instant-text",
  models: [createInstantModel("text")],
  // Unloads sooner than by default, which only shortens the measurement.
  embedder: createLocalEmbedder({ idleMs: 3000 }),
});
for (let user = 0; user < 200; user += 1) {
  const runtime = host.forUser(`user-${user}`);
  const agent = await runtime.agents.open("bench", { create: { persona: "", human: "" } });
  for await (const event of agent.send("My sister lives in Lisbon.")) if (event.type === "turn-end") break;
  await runtime.archival.add("bench", `User ${user} lives in Lisbon.`);
  await runtime.archival.search("bench", "Where does my sister live?");
}
process.send!("ready");
// The host stays open while it is measured.
await setTimeout(600_000);
