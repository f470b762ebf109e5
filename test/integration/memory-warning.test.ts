// The warning that the window is filling up: where the model reads it, and that it reads it before the messages leave.
import type { AgentEvent } from "../../src/agent/events.ts";
import { checkRequest } from "../support/check-request.ts";
import type { ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { textOf } from "../../src/base/message/message.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";
import { openScene } from "../support/scene.ts";
import { entriesOf } from "../support/state-text.ts";

const runtimes = useRuntimes();

const small = { contextWindow: 6000, maxOutputTokens: 500 };
const scene = (replies: ScriptedReplies, options: RuntimeOptions = {}) =>
  openScene(runtimes, replies, { ...small, ...options });

const text = "Older messages will leave the window before long";
const warns = (entry: string): boolean => entry.includes(text);
const isWarning = (event: AgentEvent): boolean => event.type === "warning" && event.code === "memory-pressure";
const isCompaction = ({ type }: AgentEvent): boolean => type === "compaction";
const filler = (times: number): string => "and so on ".repeat(times);

test("the request in which the window is so full warns the model once, in its entry and not in the user's text", async () => {
  const { agent, model } = await scene(() => ({ text: "ok" }));
  let turns: (readonly AgentEvent[])[] = [];
  while (!turns.at(-1)?.some(isCompaction))
    turns = [...turns, await drain(agent.send(`message ${turns.length}: ${filler(40)}`))];
  const warned = turns.findIndex((events) => events.some(isWarning));
  expect(turns.flat().filter(isWarning)).toHaveLength(1);
  expect(warned).toBeGreaterThan(0);
  expect(warned).toBeLessThan(turns.length - 1);
  const asked = model.requests.filter(({ tools }) => tools.length > 0);
  expect(entriesOf(asked[warned - 1]!).some(warns)).toBe(false);
  // It ends the user's message of this request, and stays there.
  const { content } = asked[warned]!.messages.at(-1)!;
  expect(content.map(({ type }) => type)).toEqual(["text", "state"]);
  expect(entriesOf(asked[warned + 1]!).filter(warns)).toHaveLength(1);
  // The compaction that it announced has taken it away.
  expect(entriesOf(asked.at(-1)!).some(warns)).toBe(false);
  expect(asked.flatMap(({ messages }) => messages.map(textOf)).join("")).not.toMatch(/System alert|before long/u);
  expect(agent.messages.filter(({ kind }) => kind === "event")).toEqual([]);
  expect(model.requests.flatMap(checkRequest)).toEqual([]);
});

test("warnAt says how full it has to be, and another process does not warn again", async () => {
  const { agent, runtime, model, name } = await scene(() => ({ text: "ok" }), { warnAt: 0.1 });
  expect((await drain(agent.send("Hello"))).filter(isWarning)).toHaveLength(1);
  expect(entriesOf(model.requests[0]!).filter(warns)).toHaveLength(1);
  const again = await runtime.agents.open(name);
  expect((await drain(again.send("Hello"))).filter(isWarning)).toEqual([]);
  expect(entriesOf(model.requests[1]!).filter(warns)).toHaveLength(1);
});

test("a message that causes the compaction at once causes no warning of it", async () => {
  const contextWindow = 20_000;
  const { agent, model } = await scene(() => ({ text: "ok" }), { contextWindow, keepLast: 2 });
  while (agent.context().report.total < 0.68 * contextWindow) await drain(agent.send(filler(250)));
  const events = await drain(agent.send(filler(1600)));
  expect(events.filter(isCompaction)).toHaveLength(1);
  expect(events.filter(isWarning)).toEqual([]);
  expect(model.requests.flatMap(entriesOf).some(warns)).toBe(false);
});

test("an agent whose entries have only changes is not warned", async () => {
  const { agent, model } = await scene(() => ({ text: "ok" }), { warnAt: 0.1, stateBlock: "changes" });
  expect((await drain(agent.send("Hello"))).filter(isWarning)).toEqual([]);
  expect(model.requests.flatMap(entriesOf).some(warns)).toBe(false);
});

describe("in the heartbeat protocol", () => {
  const say = { name: "send_message", arguments: { message: "Hi." } };
  const using = (inputTokens: number) => ({
    toolCalls: [say],
    usage: { inputTokens, outputTokens: 0, cachedInputTokens: 0 },
  });
  const beating = (replies: ScriptedReplies, options: RuntimeOptions = {}) =>
    scene(replies, { protocol: "heartbeat", contextWindow: 8192, maxOutputTokens: 1024, ...options });

  test.each([
    ["above the threshold an event warns the model, which is called again", 7000, {}, 2],
    ["above the size that compacts the next request there is no event", 7300, {}, 1],
    ["there is none after the last step, where the user's message would follow it", 7000, { maxSteps: 1 }, 1],
  ])("%s", async (_what, tokens, options, steps) => {
    const { agent, model } = await beating([using(tokens), using(1), using(1)], { ...options, userId: `at-${_what}` });
    expect(await lastOf(agent.send("Hello"))).toMatchObject({ steps });
    await drain(agent.send("Still there?"));
    const alerts = model.requests.flatMap(({ messages }) => messages.map(textOf)).join("\n");
    expect(alerts.includes("system_alert")).toBe(steps === 2);
    expect(model.requests.flatMap(entriesOf).some(warns)).toBe(false);
  });
});
