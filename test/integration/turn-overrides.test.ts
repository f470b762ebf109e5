// Another model or another system prompt for one turn: the request has it, the agent keeps its own.
import { ConfigError } from "../../src/base/errors.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { createTestRuntimes, drain } from "../support/runtime.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useScene(() => createTestRuntimes());
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
