// Settings of an agent that go into each request to its model: where they are set, and which requests have them.
import { createTestRuntimes, drain } from "../support/runtime.ts";
import { openScene } from "../support/scene.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useScene(() => createTestRuntimes());

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
