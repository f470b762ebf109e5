// A user's agents as they are after a while: memory, conversations, passages, a source and a schedule, all of the demo model.
import type { UserRuntime } from "../../src/runtime/runtime.ts";
import { until } from "../support/until.ts";

export interface Ada {
  readonly agentId: string;
  readonly conversationId: string;
  /** A second agent, which holds a module together with the first. */
  readonly otherId: string;
}

/** Creates the agents "main", "helper", "cook" and "books", which waits for an approval. */
export async function createAda(runtime: UserRuntime): Promise<Ada> {
  const settings = { contextWindow: 8192 };
  const persona = "I am a companion who remembers what matters.\nI answer briefly.";
  const { id: agentId } = await runtime.agents.create({ name: "main", model: "demo", persona, human: "", settings });
  const other = { name: "helper", model: "demo", persona: "I keep the shopping list.", human: "" };
  const { id: otherId } = await runtime.agents.create({ ...other, description: "shopping and errands" });
  await tidy(runtime, otherId);
  const list = await runtime.modules.create({ label: "shopping", value: "Bread\nOlives", description: "What to buy" });
  await runtime.modules.attach(agentId, list.id);
  await runtime.modules.attach(otherId, list.id);
  const agent = await runtime.agents.open("main");
  for (const text of [
    "My name is Ada and I live in Lisbon.",
    "I like sailing and tea.",
    "Remember that the boat is in Cascais, at pier 4.",
    "I moved to Porto.",
    "Where is the boat?",
    "I work as a cartographer.",
    "What do you know about me?",
    "My dog's name is Rex.",
  ]) {
    await agent.send(text);
  }
  await agent.compact();
  await agent.send("I plan to sail to Madeira.");
  await agent.send("Where do I live?");
  const fact = "The winter cover of the boat is in the cellar, behind the bicycles.";
  await runtime.archival.add("main", fact, { tags: ["boat"], importance: 0.8 });
  await runtime.archival.add("main", "Ada prefers trains to planes on the continent.", { tags: ["travel"] });
  await runtime.sources.create("harbours", { description: "Notes about harbours" });
  await runtime.sources.add(
    "harbours",
    "Cascais marina answers on channel 9. Berths for guests are on the outer pier.",
  );
  await runtime.sources.add("harbours", "Leixões is the harbour of Porto; the entrance is closed in strong west wind.");
  await runtime.sources.attach("main", "harbours");
  await runtime.schedules.create("main", { text: "Remind me of the tides.", cron: "0 8 * * 6", timeZone: "UTC" });
  const writing = { settings: { addedTools: ["message_agent"] } } as const;
  await runtime.agents.create({
    name: "books",
    model: "asked",
    persona: "I keep the accounts.",
    human: "",
    ...writing,
  });
  await runtime.agents.create({ name: "cook", model: "asked", persona: "I know the pantry.", human: "" });
  await exchange(runtime);
  await (await runtime.agents.open("books")).send('CALL add_carefully {"a":19.9,"b":4.1}');
  return { agentId, conversationId: agent.conversationId, otherId };
}

/** Lets "books" ask "cook", who answers, and write to itself, which is refused. */
async function exchange(runtime: UserRuntime): Promise<void> {
  const calls = '{"to":"cook","text":"How much oil? SAY Two jars.","wait":true} {"to":"books","text":"Oil is dear."}';
  await (await runtime.agents.open("books")).send(`TWICE message_agent ${calls}`);
  await until(async () => {
    const messages = await runtime.agentMessages.list("books");
    return messages.length === 3 && messages.every(({ status }) => status === "ended");
  });
}

/** Lets the model "tidier" propose two merges: one in an agent's archive is applied, the other one waits. */
async function tidy(runtime: UserRuntime, agent: string): Promise<void> {
  const texts = ["Olives from the market", "Black olives from the market", "Bread on Fridays", "Rye bread on Fridays"];
  for (const text of texts) await runtime.archival.add(agent, text);
  await runtime.agents.update(agent, { summarizer: "tidier" });
  const run = await runtime.consolidation.run(agent);
  await runtime.consolidation.apply(run!.id, { operations: [1] });
}
