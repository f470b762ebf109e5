// Replaces a language model by pattern rules, so that everything else can be tried without a key.
// Invariant: a reply is a pure function of the request; the demo model keeps no state and makes no calls of its own.
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { readIntents } from "./intents.ts";
import { keepScratchpad, writeSynopsis } from "./keep-state.ts";
import { nextCalls } from "./plan-calls.ts";
import { readTurn } from "./read-turn.ts";
import { replyText } from "./reply.ts";
import { callEvents, textEvents } from "./reply-events.ts";
import { summarize } from "./summarize.ts";

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
