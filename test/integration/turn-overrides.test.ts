// What goes into the requests of a turn: the agent's settings, and another model or system prompt for one turn, after which the agent
// has its own.
import { ConfigError } from "../../src/base/errors.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { openScene } from "../support/scene.ts";

const runtimes = useRuntimes();
let agents = 0;

async function openTwo() {
  const own = createScriptedModel({ name: "scripted", replies: [{ text: "Own." }, { text: "Own again." }] });
  const other = createScriptedModel({
    name: "scripted/other",
    replies: [{ text: "Other." }, { text: "Other again." }],
  });
  const runtime = await runtimes.open({
    model: "scripted",
    models: [own, other],
    prices: { "scripted/other": { input: 2, cachedInput: 1, output: 2 } },
  });
  agents += 1;
  const name = `scout-${agents}`;
  const agent = await runtime.agents.open(name, { create: { human: "", systemPrompt: "You are yourself." } });
  return { own, other, runtime, agent, name };
}

const startOf = (request: { readonly system: { readonly instructions: string } } | undefined): string =>
  request?.system.instructions.slice(0, 17) ?? "";

it("a turn is answered by another model, which its step reports; the next turn by the agent's own", async () => {
  const { own, other, agent, runtime, name } = await openTwo();
  const events = await drain(agent.send("Hello.", { model: "scripted/other" }));
  expect(events.find(({ type }) => type === "step-start")).toMatchObject({ model: "scripted/other" });
  expect([own.requests.length, other.requests.length]).toEqual([0, 1]);
  expect((await agent.steps(1))[0]).toMatchObject({ model: "scripted/other" });
  await drain(agent.send("And now?"));
  expect([own.requests.length, other.requests.length]).toEqual([1, 1]);
  expect((await runtime.agents.find(name)).model).toBe("scripted");
});

it("a budget in money uses the prices of the turn's model", async () => {
  const { agent } = await openTwo();
  await expect(drain(agent.send("Hello.", { budget: { dollars: 1 } }))).rejects.toMatchObject({
    code: "config_invalid",
  });
  const events = await drain(agent.send("Hello.", { model: "scripted/other", budget: { dollars: 1 } }));
  expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "end-turn" });
});

it("a model that cannot be used is refused, and nothing is written", async () => {
  const { agent } = await openTwo();
  await expect(drain(agent.send("Hello.", { model: "nowhere/unknown" }))).rejects.toBeInstanceOf(ConfigError);
  await expect(agent.start("Hello.", { model: "nowhere/unknown" })).rejects.toBeInstanceOf(ConfigError);
  expect(agent.messages).toEqual([]);
});

it("a turn has another system prompt; the next one, and other processes, have the agent's own", async () => {
  const { own, agent, runtime, name } = await openTwo();
  await drain(agent.send("Hello.", { systemPrompt: "You are a pirate now." }));
  expect(startOf(own.requests[0])).toBe("You are a pirate ");
  expect(startOf(agent.context())).toBe("You are yourself.");
  await drain(agent.send("And now?"));
  expect(startOf(own.requests[1])).toBe("You are yourself.");
  expect((await runtime.agents.find(name)).systemPrompt).toBe("You are yourself.");
});

it("a blank system prompt is refused, and nothing is written", async () => {
  const { agent } = await openTwo();
  await expect(drain(agent.send("Hello.", { systemPrompt: " " }))).rejects.toMatchObject({ code: "input_invalid" });
  expect(agent.messages).toEqual([]);
});

const reply = { text: "Hello." };

test("a runtime's effort and temperature are those of new agents, and go into every request to the agent's models", async () => {
  const { agent, model } = await openScene(runtimes, () => reply, { effort: "high", temperature: 0.2, keepLast: 1 });
  await drain(agent.send("hello"));
  await drain(agent.send("and again"));
  await agent.ask("what did I say?");
  await agent.compact();
  expect(model.requests).toHaveLength(4);
  for (const { effort, temperature } of model.requests) expect([effort, temperature]).toEqual(["high", 0.2]);
});

test("an agent's effort can be changed and removed; without it, requests have none", async () => {
  const { agent, model, runtime, name } = await openScene(runtimes, () => reply);
  await drain(agent.send("one"));
  await agent.close();
  for (const effort of ["off", null] as const) {
    await runtime.agents.update(name, { effort });
    const changed = await runtime.agents.open(name);
    await drain(changed.send("two"));
    await changed.close();
  }
  expect(model.requests.map((request) => "effort" in request && request.effort)).toEqual([false, "off", false]);
});

test.each([-0.1, 2.1, "warm"])("the temperature %p is refused", async (given) => {
  const { runtime, name } = await openScene(runtimes, () => reply);
  const temperature = given as number;
  const told = /^temperature: expected a number from 0 to 2, got/u;
  await expect(runtime.agents.update(name, { temperature })).rejects.toThrow(told);
});

test("an unknown word is refused with the known ones", async () => {
  const { runtime, name } = await openScene(runtimes, () => reply);
  const effort = "maximum" as "high";
  const told = 'effort: expected "off", "low", "medium" or "high", got "maximum".';
  await expect(runtime.agents.update(name, { effort })).rejects.toThrow(told);
  await expect(runtimes.open({ effort })).rejects.toThrow(/effort: expected "off", "low", "medium" or "high"/u);
});

test("requests of one conversation have one key of the cache, which is its id", async () => {
  const { agent, model, runtime, name } = await openScene(runtimes, () => reply);
  await drain(agent.send("one"));
  await agent.ask("what did I say?");
  const other = await runtime.agents.open(name, { conversation: "new" });
  await drain(other.send("two"));
  const [first, question, second] = model.requests.map(({ cacheKey }) => cacheKey);
  expect(question).toBe(first);
  expect([first, second]).toEqual([agent.conversationId, other.conversationId]);
  expect(second).not.toBe(first);
});
