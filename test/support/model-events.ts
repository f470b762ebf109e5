// Requests to models and what their streams yield, in short, for tests.
import type { Message } from "../../src/base/message/message.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/model/llm/model.ts";

/** A request with the given messages; strings are the user's. */
export const requestOf = (
  messages: readonly (Message | string)[],
  changes: Partial<ModelRequest> = {},
): ModelRequest => ({
  system: { instructions: "You are a test.", memory: "<human>Ada</human>" },
  messages: messages.map((message) => (typeof message === "string" ? userSays(message) : message)),
  tools: [weatherTool],
  maxOutputTokens: 1000,
  ...changes,
});

export const weatherTool = {
  name: "get_weather",
  description: "The weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
} as const;

export function userSays(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

/** An assistant message that calls tools; each call is `[id, arguments]`. */
export function assistantCalls(...calls: readonly (readonly [string, string])[]): Message {
  return {
    role: "assistant",
    content: calls.map(([callId, json]) => ({ type: "tool-call", callId, name: "get_weather", arguments: json })),
  };
}

export const toolReturns = (callId: string, text: string, status: "ok" | "failed" = "ok"): Message => ({
  role: "tool",
  content: [{ type: "tool-result", callId, name: "get_weather", status, text }],
});

/** All events of one call. */
export const drain = async (model: Model, request: ModelRequest, signal?: AbortSignal): Promise<ModelEvent[]> =>
  collect(model.stream(request, signal === undefined ? {} : { signal }));

export async function collect<Item>(source: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of source) items.push(item);
  return items;
}

export async function* streamOf<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

/** The message that an agent would store: what came after the last retry. */
export function replyOf(events: readonly ModelEvent[]): Message {
  const start = events.findLastIndex((event) => event.type === "retry") + 1;
  const kept = events.slice(start);
  const text = deltas(kept, "text-delta");
  const thought = deltas(kept, "thought-delta");
  const signature = kept.find((event) => event.type === "thought-signature")?.signature;
  const calls = kept.filter((event) => event.type === "tool-call");
  return {
    role: "assistant",
    content: [
      ...(thought || signature
        ? [{ type: "thought" as const, text: thought, ...(signature ? { signature } : {}) }]
        : []),
      ...(text ? [{ type: "text" as const, text }] : []),
      ...calls,
    ],
  };
}

export function deltas(events: readonly ModelEvent[], type: "text-delta" | "thought-delta"): string {
  return events.map((event) => (event.type === type ? event.text : "")).join("");
}

/** What a promise rejects with; fails when it does not. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => ({ rejected: false, error: undefined as unknown }),
    (error: unknown) => ({ rejected: true, error }),
  );
  expect(outcome.rejected).toBe(true);
  return outcome.error;
}
