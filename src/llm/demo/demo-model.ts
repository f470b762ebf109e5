// A stand-in for a language model that works by pattern rules, so that everything else can be tried without a key.
// Invariant: what it answers is a pure function of the request; it keeps nothing and calls nothing.
import { systemClock } from "../../base/clock.ts";
import { textOf } from "../../message.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { readEvent } from "./envelope.ts";
import { planReply } from "./plan-reply.ts";
import { replyEvents, textEvents } from "./reply-events.ts";
import { asksForScratchpad, keepScratchpad } from "./scratchpad.ts";
import { asksForSummary, extractSentences, summarize } from "./summarize.ts";
import { asksForSynopsis, writeSynopsis } from "./synopsis.ts";
import { readTurn, type Turn } from "./turn.ts";

/** How the stand-in is set up. */
export interface DemoModelOptions {
  /** Tokens of its window. @default 32768 */
  readonly contextWindow?: number;
  /** Milliseconds between two pieces of text, so that streaming can be seen. @default 0 */
  readonly delayMs?: number;
}

/** Makes the stand-in: a demo model with pattern rules, not a language model. */
export function createDemoModel({ contextWindow = 32_768, delayMs = 0 }: DemoModelOptions = {}): Model {
  return {
    name: "demo",
    contextWindow,
    async *stream(request, { signal }) {
      for (const event of answer(request)) {
        signal?.throwIfAborted();
        yield event;
        if (event.type === "text-delta" && delayMs > 0) await systemClock.sleep(delayMs, signal);
      }
    },
  };
}

const digestTokens = 300;

function answer(request: ModelRequest): readonly ModelEvent[] {
  if (asksForSummary(request)) return textEvents(summarize(request), request);
  if (asksForScratchpad(request)) return textEvents(keepScratchpad(request), request);
  if (asksForSynopsis(request)) return textEvents(writeSynopsis(request), request);
  const turn = readTurn(request);
  const digest = (): string => extractSentences(saidByUser(request, turn.protocol).join("\n"), digestTokens);
  return replyEvents(planReply(turn, digest), turn, request);
}

function saidByUser(request: ModelRequest, protocol: Turn["protocol"]): readonly string[] {
  const events = request.messages
    .filter(({ role }) => role === "user")
    .map((message) => readEvent(textOf(message), protocol));
  return events.filter(({ kind }) => kind === "said").map(({ text }) => text);
}
