// A tool result that is longer than the window costs its own end, and not the conversation.
import { z } from "zod";
import type { ModelRequest } from "../../src/model/llm/model.ts";
import type { ScriptedReply } from "../../src/model/llm/scripted/scripted-model.ts";
import { textOf } from "../../src/base/message/message.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { createTestRuntimes, drain } from "../support/runtime.ts";
import { openScene } from "../support/scene.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useScene(() => createTestRuntimes());

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
