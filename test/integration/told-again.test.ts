// What the model has to be told again: a request that only grows keeps old texts, and the newest statement about a section has to be
// the true one, whatever came between.
import { z } from "zod";
import type { Agent } from "../../src/agent/agent.ts";
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel, type ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { entriesOf } from "../support/state-text.ts";

const runtimes = useRuntimes();
let users = 0;

const look = defineTool({ name: "look", description: "Looks.", parameters: z.object({}), run: () => "Nothing." });
const saves = (content: string) => ({
  toolCalls: [{ name: "core_memory_append", arguments: { name: "human", content } }],
});

async function open(replies: ScriptedReplies, options: RuntimeOptions = {}, userId = `told ${(users += 1)}`) {
  const model = createScriptedModel({ replies });
  const runtime = await runtimes.open({ userId, model: model.name, models: [model], ...options });
  return { runtime, model, agent: await runtime.agents.open("main", { create: { human: "", persona: "" } }) };
}

async function say(agent: Agent, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await drain(agent.send(text));
}

test("a section that was changed after the model's own edit, once a new snapshot stands before that edit", async () => {
  const { agent, runtime } = await open([saves("Likes tea."), { text: "Saved." }, { text: "Yes." }]);
  await say(agent, "I like tea.");
  await runtime.memory.set("main", "human", "Likes coffee.");
  await say(agent, "And now?");
  // A new tool takes a new snapshot.
  const next = await open([{ text: "Yes." }], { tools: { add: [look] } }, runtime.userId);
  await say(next.agent, "Still there?");
  const { system, messages } = next.model.requests[0]!;
  expect(system.memory).toContain("Likes coffee.");
  expect(JSON.stringify(messages)).toContain("Line 1 now:\\nLikes tea.");
  expect(entriesOf({ messages }).join("\n")).toContain("Likes coffee.");
});

test("a section whole, if the model edits lines of a text that it does not know", async () => {
  const meanwhile = defineTool({
    name: "meanwhile",
    description: "Lets time pass.",
    parameters: z.object({}),
    run: async () => {
      await user.memory.set("main", "human", "Likes coffee.");
      return "Passed.";
    },
  });
  const both = {
    toolCalls: [
      { name: "meanwhile", arguments: {} },
      ...saves("Likes tea.").toolCalls,
      ...saves("Likes milk.").toolCalls,
    ],
  };
  const { agent, model, runtime: user } = await open([both, { text: "Saved." }], { tools: { add: [meanwhile] } });
  await say(agent, "I like tea.");
  const { messages } = model.requests.at(-1)!;
  expect(JSON.stringify(messages)).toContain("Line 3 now:\\nLikes milk.");
  expect(entriesOf({ messages }).join("\n")).toContain("Likes coffee.\nLikes tea.\nLikes milk.");
});

test("the same in the layout inline, and nothing where the prompt is the newest", async () => {
  const replies = [saves("Likes tea."), { text: "Saved." }, { text: "Yes." }, { text: "Yes." }];
  const { agent, model, runtime } = await open(replies, { layout: "inline", stateBlock: "changes" });
  await say(agent, "I like tea.");
  await runtime.memory.set("main", "persona", "Kind.");
  await say(agent, "And now?");
  expect(model.requests.flatMap(entriesOf)).toEqual([]);
  await runtime.memory.set("main", "human", "Likes coffee.");
  await say(agent, "And now?");
  expect(entriesOf(model.requests.at(-1)!).join("\n")).toContain("Likes coffee.");
});

test("another module in the place of one with the same label, and one that the model edited in its place", async () => {
  const saves = { toolCalls: [{ name: "core_memory_append", arguments: { name: "notes", content: "Cake." } }] };
  const yes = { text: "Yes." };
  const { agent, model, runtime } = await open([yes, yes, saves, yes, yes]);
  const create = (value: string) => runtime.modules.create({ label: "notes", value });
  const [tea, coffee, milk] = [await create("Tea."), await create("Coffee."), await create("Milk.")];
  const replace = async (old: { readonly id: string }, other: { readonly id: string }) => {
    await runtime.modules.detach("main", old.id);
    await runtime.modules.attach("main", other.id);
  };
  const told = () => entriesOf(model.requests.at(-1)!).at(-1);
  await runtime.modules.attach("main", tea.id);
  await say(agent, "Hello.");
  await replace(tea, coffee);
  await say(agent, "And now?");
  expect(told()).toContain("Coffee.");
  await replace(coffee, milk);
  await say(agent, "And now?");
  const isMilkTold = model.requests.map((request) => entriesOf(request).join("\n").includes("Milk."));
  expect(isMilkTold).toEqual([false, false, true, true]);
  expect(entriesOf(model.requests.at(-1)!).join("\n")).not.toContain("Milk.\nCake.");
  await runtime.modules.update(coffee.id, { value: "Coffee at six." });
  await replace(milk, coffee);
  await say(agent, "And now?");
  expect(told()).toContain("Coffee at six.");
});

test("a tool that has another description than before", async () => {
  const described = (description: string) => ({
    clientTools: [{ name: "pick", description, parameters: { type: "object" as const, properties: {} } }],
  });
  const { agent, model } = await open([{ text: "Yes." }, { text: "Yes." }, { text: "Yes." }]);
  await drain(agent.send("Hello.", described("Picks a tea.")));
  await drain(agent.send("And now?", described("Picks a coffee.")));
  await drain(agent.send("Without it."));
  const descriptions = model.requests.map(({ tools }) => tools.find(({ name }) => name === "pick")?.description);
  expect(descriptions).toEqual(["Picks a tea.", "Picks a coffee.", "Picks a coffee."]);
});

test("the key of an agent with the layout inline is the same in another process", async () => {
  const { agent, model, runtime } = await open([{ text: "Yes." }], { layout: "inline" });
  await say(agent, "Hello.");
  const next = await open([{ text: "Yes." }], { layout: "inline" }, runtime.userId);
  await say(next.agent, "And now?");
  expect(next.model.requests[0]!.system).toEqual(model.requests[0]!.system);
});
