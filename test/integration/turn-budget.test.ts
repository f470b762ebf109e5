// Turns that reach their budget: where they stop, what is kept, and how they go on; also if the provider reports no usage.
import { noUsage } from "../../src/base/message/message.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";
import { append, openScene } from "../support/scene.ts";

const runtimes = useRuntimes();

const usage = { inputTokens: 4000, outputTokens: 1000, cachedInputTokens: 0 };
const twoSteps = [
  { toolCalls: [append("noted")], usage },
  { text: "Done.", usage },
];
const prices = { "script*": { input: 1, cachedInput: 1, output: 6 } };

test("a turn that would exceed its tokens stops with its work kept, reports its usage, and can be resumed", async () => {
  const { agent, model } = await openScene(runtimes, twoSteps, { maxTurnTokens: 5000 });
  const end = await lastOf(agent.send("note it"));
  expect(end).toMatchObject({
    stopReason: "budget",
    steps: 1,
    usage,
    error: { code: "turn_budget_exceeded", message: "The turn may use 5000 tokens: it has used 5000." },
  });
  expect(agent.memory.read("human")).toBe("noted");
  expect(model.requests).toHaveLength(1);
  expect(agent.unfinished).toBe(true);
  expect(await lastOf(agent.resume())).toMatchObject({ stopReason: "end-turn", text: "Done." });
});

test("a turn that ends normally above its budget has ended normally", async () => {
  const { agent } = await openScene(runtimes, [{ text: "Long.", usage }], { maxTurnTokens: 4000 });
  expect(await lastOf(agent.send("hello"))).toMatchObject({ stopReason: "end-turn", text: "Long." });
});

test("a step whose input alone exceeds the remainder does not begin, not even the first", async () => {
  const { agent, model } = await openScene(runtimes, [{ text: "never said" }], { maxTurnTokens: 10 });
  const end = await lastOf(agent.send("hello"));
  expect(end).toMatchObject({ stopReason: "budget", steps: 0 });
  expect(end.error?.message).toMatch(
    /^The turn may use 10 tokens: it has used 0, and the next call's input alone is \d+ tokens\.$/u,
  );
  expect(model.requests).toEqual([]);
  expect(agent.messages.at(-1)).toMatchObject({ role: "user", text: "hello" });
});

test("money is counted by the configured price, and a caller's budget overrides the agent's", async () => {
  const scene = await openScene(runtimes, twoSteps, { maxTurnDollars: 0.01, prices });
  expect(await lastOf(scene.agent.send("note it"))).toMatchObject({
    stopReason: "budget",
    error: { message: "The turn may cost $0.01: it has cost $0.0100." },
  });
  const freer = await openScene(runtimes, twoSteps, { maxTurnDollars: 0.01, prices });
  expect(await lastOf(freer.agent.send("note it", { budget: { dollars: 1 } }))).toMatchObject({
    stopReason: "end-turn",
  });
});

test("a budget in dollars without a price is refused before anything is written", async () => {
  const { agent } = await openScene(runtimes, twoSteps);
  await expect(drain(agent.send("hello", { budget: { dollars: 1 } }))).rejects.toMatchObject({
    code: "config_invalid",
    message: expect.stringContaining('"scripted"'),
  });
  expect(agent.messages).toEqual([]);
  expect(await lastOf(agent.send("hello", { budget: { dollars: null } }))).toMatchObject({ stopReason: "end-turn" });
});

test("a turn stops when the counted tokens reach its budget", async () => {
  const { agent } = await openScene(runtimes, () => ({ toolCalls: [append("noted")] }), { maxTurnTokens: 4000 });
  const end = await lastOf(agent.send("note it"));
  expect(end).toMatchObject({ stopReason: "budget", usage: noUsage });
  expect(end.steps).toBeGreaterThan(0);
  expect(end.steps).toBeLessThan(5);
});
