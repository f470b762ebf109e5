// Replaces a language model by pattern rules, so that everything else can be tried without a key.
// Invariant: a reply is a pure function of the request; the demo model keeps no state and makes no calls of its own;
// call ids continue the numbers in the request, so they are unique; the events end with one `end`.
import { type ContentPart, toolCallsOf } from "../../../base/message/message.ts";
import type { Model, ModelEvent, ModelRequest, ModelStopReason } from "../model.ts";
import { readIntents } from "./intents.ts";
import { keepScratchpad, summarize, writeSynopsis } from "./chores.ts";
import { nextCalls } from "./plan-calls.ts";
import { type Call, readTurn } from "./read-turn.ts";
import { replyText } from "./reply.ts";

export interface DemoModelOptions {
  /** Tokens of its window. @default 32768 */
  readonly contextWindow?: number;
}

/** Creates the demo model: pattern rules, not a language model. */
export function createDemoModel({ contextWindow = 32_768 }: DemoModelOptions = {}): Model {
  return {
    name: "demo",
    contextWindow,
    async *stream(request, { signal }) {
      for (const event of answer(request)) {
        signal?.throwIfAborted();
        yield event;
      }
    },
  };
}

/** Requests without tools that are not part of a turn: the beginning of their instructions, and their answer. */
const chores: readonly (readonly [string, (request: ModelRequest) => string])[] = [
  ["You summarize", summarize],
  ["You keep the scratchpad", keepScratchpad],
  ["You write the synopsis", writeSynopsis],
];

function answer(request: ModelRequest): readonly ModelEvent[] {
  const { instructions } = request.system;
  const chore = chores.find(([opening]) => request.tools.length === 0 && instructions.trimStart().startsWith(opening));
  if (chore !== undefined) return textEvents(chore[1](request), request);
  const turn = readTurn(request);
  if (turn.done.some(({ name }) => name === "send_message")) return textEvents("There is nothing more to do.", request);
  const intents = readIntents(turn.input);
  const calls = nextCalls(intents, turn);
  if (calls.length > 0) {
    const control = turn.protocol === "heartbeat" ? { request_heartbeat: true } : {};
    return callEvents(
      calls.map(({ name, input }) => ({ name, input: { ...input, ...control } })),
      request,
    );
  }
  const text = replyText(intents, turn);
  return turn.protocol === "heartbeat"
    ? callEvents([{ name: "send_message", input: { message: text } }], request)
    : textEvents(text, request);
}

/** Yields a text in deltas of one word each, truncated at the maximum tokens of the reply. */
function textEvents(text: string, request: ModelRequest): readonly ModelEvent[] {
  const shown = text.slice(0, Math.max(0, request.maxOutputTokens) * 4).toWellFormed();
  const deltas = (shown.match(/\S+\s*|\s+/g) ?? []).map((word): ModelEvent => ({ type: "text-delta", text: word }));
  return [...deltas, endEvent(shown.length < text.length ? "length" : "end", shown.length, request)];
}

/** Yields tool calls. */
function callEvents(calls: readonly Call[], request: ModelRequest): readonly ModelEvent[] {
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
