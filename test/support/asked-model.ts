// A model that does what the newest message of the user says, as the model of Letta's tests does.
import { z } from "zod";
import { ModelRequestError } from "../../src/base/errors.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/model/llm/model.ts";
import { type ContentPart, noUsage, toolCallsOf } from "../../src/base/message/message.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { systemClock } from "../../src/base/clock.ts";

/** A tool whose calls wait for approval. */
export const careful = defineTool({
  name: "add_carefully",
  description: "Adds two numbers.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  approval: true,
  run: ({ a, b }) => String(a + b),
});

/**
 * `SAY text`, `SLOW words`, `HELD words` (waits before the third for `letGoOn`), `FAIL`, `COUNT`, `CALL tool {…}` and `TWICE tool {…} {…}`, then "Done: " with the last result;
 * `LOOP tool {…}` without an end. `THINK text` thinks before the answer, `PROMPT` answers its name and how the prompt begins.
 */
export const askedModel = modelNamed("asked");
/** The same under another name. */
export const otherModel = modelNamed("other");

const held: (() => void)[] = [];

/** Lets the answers to `HELD words` go on. */
export function letGoOn(): void {
  for (const goOn of held.splice(0)) goOn();
}

function modelNamed(name: string): Model {
  return {
    name,
    contextWindow: 100_000,
    async *stream(request, { signal } = {}): AsyncGenerator<ModelEvent, void> {
      const { system, messages } = request;
      const isAskedForPrompt = textOf(messages.at(-1)?.content ?? []).includes("PROMPT");
      if (isAskedForPrompt) yield { type: "text-delta", text: `${name}: ${system.instructions.slice(0, 60)}` };
      else yield* answer(request, signal);
      const { length } = request.messages;
      const calls = length > 0 && wantedCalls(request).length > 0;
      yield {
        type: "end",
        stopReason: calls ? "tool-calls" : "end",
        usage: { ...noUsage, inputTokens: 10, outputTokens: 2 },
      };
    },
  };
}

function textOf(content: readonly ContentPart[]): string {
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return text.replace(/^\[.*?\]\s*/u, "");
}

function lastAsked({ messages }: ModelRequest): { readonly text: string; readonly results: readonly string[] } {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const results = messages.slice(at + 1).flatMap(({ content }) => {
    return content.flatMap((part) => (part.type === "tool-result" ? [part.text] : []));
  });
  return { text: textOf(messages[at]?.content ?? []), results };
}

interface WantedCall {
  readonly name: string;
  readonly json: string;
}

function wantedCalls(request: ModelRequest): readonly WantedCall[] {
  const { text, results } = lastAsked(request);
  const [, word, name, json] = /(CALL|TWICE|LOOP) (\w+) (\{.*)/su.exec(text) ?? [];
  if (name === undefined || json === undefined || (word !== "LOOP" && results.length > 0)) return [];
  const objects = word === "TWICE" ? json.split(/(?<=\})\s+(?=\{)/u) : [json];
  return objects.map((one) => ({ name, json: one }));
}

async function* answer(request: ModelRequest, signal: AbortSignal | undefined): AsyncGenerator<ModelEvent, void> {
  const { text, results } = lastAsked(request);
  if (text.includes("FAIL")) throw new ModelRequestError("The model refused the request.", { provider: "asked" });
  if (text.includes("THINK")) yield { type: "thought-delta", text: "Well." };
  const calls = wantedCalls(request);
  const made = request.messages.flatMap((message) => toolCallsOf(message)).length;
  for (const [at, { name, json }] of calls.entries())
    yield { type: "tool-call", callId: `call_${made + at}`, name, arguments: json };
  if (calls.length > 0) return;
  const [, pace, count = "0"] = /(SLOW|HELD) (\d+)/u.exec(text) ?? [];
  const words = Number(count);
  for (let word = 0; word < words; word += 1) {
    if (pace === "HELD" && word === 2) await new Promise<void>((resolve) => held.push(resolve));
    await systemClock.sleep(50, signal);
    yield { type: "text-delta", text: `w${word} ` };
  }
  if (words === 0) for (const word of wordsOf(request, text, results)) yield { type: "text-delta", text: word };
}

function wordsOf({ messages }: ModelRequest, text: string, results: readonly string[]): readonly string[] {
  const users = messages.filter(({ role }) => role === "user").length;
  if (text.includes("COUNT")) return [`user=${users} `];
  if (results.length > 0) return ["Done: ", results.at(-1) ?? ""];
  return (/SAY (.*)/su.exec(text)?.[1] ?? "Hello.").match(/\S+\s*/gu) ?? [];
}
