// Converts a reply to the events of the model port: text word by word, or tool calls.
// Invariant: call ids continue the numbers in the request, so they are unique; the events end with one `end`.
import { type ContentPart, toolCallsOf } from "../../../base/message/message.ts";
import type { ModelEvent, ModelRequest, ModelStopReason } from "../model.ts";
import type { Call } from "./read-turn.ts";

/** Yields a text in deltas of one word each, truncated at the maximum tokens of the reply. */
export function textEvents(text: string, request: ModelRequest): readonly ModelEvent[] {
  const shown = text.slice(0, Math.max(0, request.maxOutputTokens) * 4).toWellFormed();
  const deltas = (shown.match(/\S+\s*|\s+/g) ?? []).map((word): ModelEvent => ({ type: "text-delta", text: word }));
  return [...deltas, endEvent(shown.length < text.length ? "length" : "end", shown.length, request)];
}

/** Yields tool calls. */
export function callEvents(calls: readonly Call[], request: ModelRequest): readonly ModelEvent[] {
  const made = request.messages.flatMap(toolCallsOf).length;
  const events = calls.map(({ name, input }, index) => ({
    type: "tool-call" as const,
    callId: `demo_${made + index + 1}`,
    name,
    arguments: JSON.stringify(input),
  }));
  const characters = events.reduce((sum, { name, arguments: text }) => sum + name.length + text.length, 0);
  return [...events, endEvent("tool-calls", characters, request)];
}

function endEvent(stopReason: ModelStopReason, characters: number, request: ModelRequest): ModelEvent {
  const usage = { inputTokens: tokensOf(request), outputTokens: Math.ceil(characters / 4), cachedInputTokens: 0 };
  return { type: "end", stopReason, usage };
}

/** An estimate: a quarter of the characters of the request. */
function tokensOf({ system, messages, tools }: ModelRequest): number {
  const prompt = system.instructions + system.memory + JSON.stringify(tools);
  const parts = messages.flatMap(({ content }) => content);
  return Math.ceil(parts.reduce((sum, part) => sum + lengthOf(part), prompt.length) / 4);
}

function lengthOf(part: ContentPart): number {
  if (part.type === "file") return part.name.length;
  return part.type === "tool-call" ? part.name.length + part.arguments.length : part.text.length;
}
