// The agent of the stream and server trials: it speaks slowly, edits memory, and speaks again unless the edit is beside its answer.
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Agent } from "../../src/agent/agent.ts";
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/model/llm/model.ts";
import type { Store } from "../../src/store/port/store.ts";
import { noUsage } from "../../src/base/message/message.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { defineTool } from "../../src/tool/define-tool.ts";

/** Deltas of each of its two replies, and the milliseconds between them. */
const deltas = 30;
const pauseMs = 12;
/** About how long its turn takes, in milliseconds. */
export const turnMs = 2 * deltas * pauseMs;

export const increment = defineTool({
  name: "increment",
  description: "Adds one to the number in the human section.",
  parameters: z.object({}),
  effects: "memory",
  run: (_args, { core }) => core.edit("human", (value) => String(Number(value || "0") + 1)),
});

/** The text of its first reply. */
export const firstText = wordsOf("first").join("");
/** The text of its second reply. */
export const lastText = wordsOf("second").join("");

function wordsOf(name: string): readonly string[] {
  return Array.from({ length: deltas }, (_, at) => `${name} ${at} `);
}

/** A call that is stored with its result. */
const ownCall = { name: "core_memory_append", arguments: JSON.stringify({ name: "human", content: "1" }) };

const asksForOwn = (text: string): boolean => text.includes("by yourself");

/** Returns the texts of its replies to a message. An edit by a tool of its memory ends the turn. */
export const repliesTo = (message: string): readonly string[] =>
  asksForOwn(message) ? [firstText] : [firstText, lastText];

/** Asked to do something by itself, it calls a tool of its memory. */
export function speakingModel(): Model {
  async function* stream({ messages }: ModelRequest): AsyncGenerator<ModelEvent> {
    const isSecond = messages.at(-1)?.role === "tool";
    const isOwn = asksForOwn(JSON.stringify(messages));
    for (const text of wordsOf(isSecond ? "second" : "first")) {
      await sleep(pauseMs);
      yield { type: "text-delta", text };
    }
    const call = isOwn ? ownCall : { name: "increment", arguments: "{}" };
    if (!isSecond) yield { type: "tool-call", callId: `call_${process.pid}`, ...call };
    const usage = { ...noUsage, inputTokens: 100, outputTokens: deltas };
    yield { type: "end", stopReason: isSecond ? "end" : "tool-calls", usage };
  }
  return { name: "speaking", contextWindow: 100_000, stream };
}

export async function openStreamingAgent(
  store: Store,
  name: string,
): Promise<{ readonly agent: Agent; readonly runtime: Runtime }> {
  const options = { model: "speaking", models: [speakingModel()], embedder: null, tools: { add: [increment] } };
  const runtime = await composeRuntime(options, { store });
  return { runtime, agent: await runtime.agents.open(name, { create: {} }) };
}
