// A message or a tool result that is longer than the window, and a reply with more tool calls than allowed: each costs its own end,
// and not the conversation.
import { z } from "zod";
import type { ModelRequest } from "../../src/model/llm/model.ts";
import {
  type ScriptedReply,
  createScriptedModel,
  type ScriptedReplies,
} from "../../src/model/llm/scripted/scripted-model.ts";
import { textOf } from "../../src/base/message/message.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { drain, useRuntimes, lastOf } from "../support/runtime.ts";
import { openScene } from "../support/scene.ts";
import { checkRequest } from "../support/check-request.ts";

const runtimes = useRuntimes();

const page = defineTool({
  name: "read_page",
  description: "Reads a page.",
  parameters: z.object({}),
  wholeResult: true,
  run: () => "The quick brown fox jumps over the lazy dog. ".repeat(890),
});

const settings = { contextWindow: 6000, maxOutputTokens: 500, keepLast: 10, tools: { add: [page] } };

/** Calls the tool when it is asked to read, and says "ok" otherwise. */
function replyTo({ messages, tools }: ModelRequest): ScriptedReply {
  const last = messages.at(-1);
  const isAsked = tools.length > 0 && last?.role === "user" && textOf(last).includes("read the page");
  return isAsked ? { toolCalls: [{ name: "read_page", arguments: {} }] } : { text: "ok" };
}

test("a tool result of 40,000 characters moves no message out of a window of 6,000 tokens", async () => {
  const { agent, model } = await openScene(runtimes, replyTo, settings);
  for (let at = 1; at <= 40; at += 1) await drain(agent.send(`message ${at}`));
  const before = agent.messages;
  expect(before).toHaveLength(80);
  const events = await drain(agent.send("read the page"));
  expect(events.filter(({ type }) => type === "compaction")).toEqual([]);
  expect(agent.messages.slice(0, 80)).toEqual(before);
  const { messages } = model.requests.at(-1) as ModelRequest;
  expect(messages).toHaveLength(83);
  const result = messages.at(-1)?.content[0];
  expect(result?.type === "tool-result" && result.text).toMatch(/\n\[Clipped: the first \d+ of 40050 characters/u);
});

test("a compaction after a large result keeps the last messages, and its tokens are those of the window", async () => {
  const { agent } = await openScene(runtimes, replyTo, { ...settings, contextWindow: 7500 });
  for (let at = 1; at <= 10; at += 1) await drain(agent.send(`message ${at}: ${"and so on ".repeat(100)}`));
  const before = agent.messages;
  expect(before.length).toBeGreaterThanOrEqual(20);
  const events = await drain(agent.send("read the page"));
  const compactions = events.filter((event) => event.type === "compaction");
  expect(compactions).toHaveLength(1);
  expect(compactions[0]?.tokensBefore).toBeLessThan(7500);
  // A compaction removes the state entries.
  const kept = before.slice(-7).map((message) => ({ ...message, stated: undefined }));
  expect(agent.messages).toEqual(expect.arrayContaining(kept));
  const again = await drain(agent.send("and now?"));
  expect(again.filter(({ type }) => type === "compaction")).toEqual([]);
});

test("after a message that is longer than the window, the next one is answered", async () => {
  const { agent, runtime, name } = await openScene(runtimes, () => ({ text: "Here." }), { contextWindow: 12_000 });
  expect(await lastOf(agent.send("a".repeat(1e6)))).toMatchObject({
    stopReason: "context-overflow",
    error: { code: "context_overflow" },
  });
  expect(await lastOf(agent.send("are you there?"))).toMatchObject({ stopReason: "end-turn", text: "Here." });
  expect((await runtime.recall.search(name, '"aaaaaaaa"')).total).toBe(1);
});

let scenes = 0;

interface Pings {
  readonly tool: Tool;
  readonly ran: number[];
}

function pings({ approval = false } = {}): Pings {
  const ran: number[] = [];
  const tool = defineTool({
    name: "ping",
    description: "Answers.",
    approval,
    parameters: z.object({ number: z.number().describe("A number.") }),
    run: ({ number }) => {
      ran.push(number);
      return `pong ${number}.`;
    },
  });
  return { tool, ran };
}

const callsOf = (count: number) =>
  Array.from({ length: count }, (_none, at) => ({ name: "ping", arguments: { number: at + 1 } }));

async function scene(replies: ScriptedReplies, { tool }: Pings, maxToolCalls?: number) {
  scenes += 1;
  const model = createScriptedModel({ replies, name: `many-${scenes}` });
  const limits = maxToolCalls === undefined ? {} : { maxToolCalls };
  const runtime = await runtimes.open({ model: model.name, models: [model], tools: { add: [tool] }, ...limits });
  const agent = await runtime.agents.open(model.name, { create: {} });
  return { model, agent };
}

test("of 300 calls in a reply, 64 run, and the results of the others say why they did not", async () => {
  const ping = pings();
  const { agent, model } = await scene([{ toolCalls: callsOf(300) }, { text: "done" }, { text: "still here" }], ping);
  const events = await drain(agent.send("ping 300 times"));
  expect(events.at(-1)).toMatchObject({ stopReason: "end-turn", text: "done" });
  expect(ping.ran).toEqual(Array.from({ length: 64 }, (_none, at) => at + 1));
  const results = events.filter((event) => event.type === "tool-result");
  expect(results).toHaveLength(300);
  expect(results.filter(({ status }) => status === "failed")).toHaveLength(236);
  expect(results.at(64)?.text).toBe(
    "ping was not run: the reply has 300 calls, and at most 64 calls of one reply are run. Call it again if it is still needed.",
  );
  expect(await lastOf(agent.send("and now?"))).toMatchObject({ stopReason: "end-turn", text: "still here" });
  expect(model.requests.flatMap(checkRequest)).toEqual([]);
});

test("maxToolCalls sets the number of calls of one reply that run", async () => {
  const ping = pings();
  const { agent } = await scene([{ toolCalls: callsOf(5) }, { text: "done" }], ping, 2);
  await drain(agent.send("ping"));
  expect(ping.ran).toEqual([1, 2]);
});

test("a turn that continues after an approval counts calls from the start of the reply", async () => {
  const ping = pings({ approval: true });
  const { agent } = await scene([{ toolCalls: callsOf(5) }, { text: "done" }], ping, 2);
  expect(await lastOf(agent.send("ping"))).toMatchObject({ stopReason: "awaiting-approval" });
  expect(await lastOf(agent.approve("call_1_1"))).toMatchObject({ stopReason: "awaiting-approval" });
  expect(await lastOf(agent.approve("call_1_2"))).toMatchObject({ stopReason: "end-turn", text: "done" });
  expect(ping.ran).toEqual([1, 2]);
});

test("a reply with more than 1,000 calls fails and is discarded, and the next message is answered", async () => {
  const ping = pings();
  const { agent } = await scene([{ toolCalls: callsOf(1001) }, { text: "back" }], ping);
  expect(await lastOf(agent.send("ping"))).toMatchObject({
    stopReason: "model-error",
    error: { code: "model_reply_limit", message: expect.stringContaining("1,000 tool calls") as string },
  });
  expect(ping.ran).toEqual([]);
  expect(await lastOf(agent.send("still there?"))).toMatchObject({ stopReason: "end-turn", text: "back" });
});
