// A conversation with so many messages that were never compacted that none of them may become arguments of one call.
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { drain, useRuntimes } from "../support/runtime.ts";

/**
 * The full form, `npm run test:uncompacted`, has more than a call can have arguments. The short one takes seconds; the single steps
 * have their own test with 200,000 items, and `check:spreads` finds calls with lists.
 */
const count = Number(process.env["UNCOMPACTED_MESSAGES"] || 10_000);

const runtimes = useRuntimes();

test("a conversation with very many imported messages is sent to and compacted", async () => {
  const model = createScriptedModel({ replies: () => ({ text: "Here I am." }) });
  const options = { userId: "many", model: "scripted", models: [model], embedder: null };
  const runtime = await runtimes.open(options);
  await runtime.agents.create({ name: "main" });
  const messages = Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    text: `${index}`,
    at: new Date(Date.UTC(2020, 0, 1) + index * 1000),
  }));
  const { id } = await runtime.conversations.import("main", { title: "Long", messages });
  const agent = await runtime.agents.open("main", { conversation: { id } });
  const events = await drain(agent.send("Are you there?"));
  expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "end-turn" });
  const compacted = await agent.compact();
  expect(compacted).not.toBeNull();
}, 600_000);
