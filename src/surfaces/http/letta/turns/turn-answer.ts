// Builds the answer to a request that runs a turn: one JSON value, or a stream of server-sent events.
// Invariant: both forms have the same messages, stop reason and tokens. The messages of a background turn are numbered
// in its stream. Their numbers depend on the turn's events alone, so a client that reconnects misses and repeats no message.
import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { TurnEnd } from "../../../../agent/events.ts";
import { type TurnState, waitingCalls } from "../../../../agent/fold-turn.ts";
import { systemClock } from "../../../../base/clock.ts";
import { noUsage } from "../../../../base/message/message.ts";
import type { SentEvent } from "../../event-stream.ts";
import { handedOverTurn } from "../../fault.ts";
import type { ReadEvent } from "../../replay-turn.ts";
import type { Protocol } from "../runtime-records.ts";
import { createTurnEncoder, type Pause, type TurnEncoder } from "./encode-turn.ts";
import type { RunExtension } from "./run-extension.ts";
import { messagesShape, ping, type ShownMessage } from "./shown-message.ts";
import { shownEnd, turnFailed } from "./turn-end.ts";

export const answerShape = z.looseObject({
  messages: messagesShape,
  stop_reason: z.looseObject({ message_type: z.literal("stop_reason"), stop_reason: z.string() }),
  usage: z.looseObject({ message_type: z.literal("usage_statistics"), total_tokens: z.int(), step_count: z.int() }),
});

export interface TurnToAnswer {
  readonly events: AsyncIterable<ReadEvent>;
  readonly extension: RunExtension;
  readonly protocol: Protocol;
  /** Set if the events begin after this pause, which a decision has ended; null if the events begin with the turn. */
  readonly pause: Pause | null;
}

interface NumberedMessage {
  readonly message: ShownMessage;
  /** The number of the message, from 1. */
  readonly number: number;
  /** The number of the event that completed the message. */
  readonly sequence: number;
  /** Whether `replayRun` keeps the event that completed the message. If not, the message gets a number but is not sent. */
  readonly counts: boolean;
}

async function* numbered(turn: TurnToAnswer, encoder: TurnEncoder): AsyncGenerator<NumberedMessage, void> {
  let number = 0;
  let sequence = 0;
  let counts = true;
  function* count(messages: readonly ShownMessage[]): Generator<NumberedMessage, void> {
    for (const message of messages) {
      if (!isWanted(message, turn.extension)) continue;
      number += 1;
      yield { message, number, sequence, counts };
    }
  }
  for await (const { event, counts: isKept } of turn.events) {
    // Before an event that is not kept, the parts collected from the kept events become messages, which are sent.
    if (counts && !isKept) yield* count(encoder.rest());
    ({ sequence } = event);
    counts = isKept;
    yield* count(encoder.read(event));
  }
  // The last parts of an unfinished turn are not sent, because the continued turn will generate them again.
  const { end } = encoder.turn();
  if (end !== null || waitingCalls(encoder.turn()).length > 0) yield* count(encoder.rest());
}

function encoderOf({ extension, protocol, pause }: TurnToAnswer): TurnEncoder {
  return createTurnEncoder({
    ...extension,
    thoughtSource: protocol === "native" ? "reasoner_model" : "non_reasoner_model",
    pause,
    now: () => systemClock.now(),
    newId: () => randomUUID(),
  });
}

function isWanted({ message_type: type }: ShownMessage, { types, hasPings }: RunExtension): boolean {
  return type === "ping" ? hasPings : types === null || types.includes(type);
}

/** Returns the answer as one value, without messages of events up to `after`. Throws WireFault if a failure ended the turn. */
export async function wholeAnswer(turn: TurnToAnswer, after: number): Promise<Readonly<Record<string, unknown>>> {
  const encoder = encoderOf(turn);
  const messages: ShownMessage[] = [];
  for await (const { message, sequence, counts } of numbered(turn, encoder)) {
    if (message.message_type !== "ping" && counts && sequence > after) messages.push(message);
  }
  const { stopReason, usage, failure } = endOf(encoder.turn());
  if (failure !== null) throw turnFailed(failure);
  return { messages, stop_reason: stopReason, usage, logprobs: null, turns: null };
}

/** Returns how a turn ended or paused. Throws Fault for an unfinished turn, because the turn will be continued. */
function endOf(turn: TurnState) {
  const { turnId, end, contextTokens } = turn;
  if (end === null && waitingCalls(turn).length === 0) throw handedOverTurn();
  const header = { type: "turn-end", agentId: "", conversationId: "", turnId, sequence: 0 } as const;
  const paused: TurnEnd = { ...header, stopReason: "awaiting-approval", text: "", steps: 0, usage: noUsage };
  return shownEnd(end ?? paused, contextTokens);
}

export interface StreamOptions {
  /** Whether the turn runs in the background. Its messages are then numbered. */
  readonly isBackground: boolean;
  /** Whether pings are sent. */
  readonly hasPings: boolean;
  /** The number of the last message that the client has; 0: none. */
  readonly startingAfter: number;
  /** Messages of events up to this number are not sent. */
  readonly afterSequence: number;
  readonly turnId: string;
  /** Whether nothing of the turn has been shown; its first ping is then sent at once. */
  readonly isNew: boolean;
}

/** Yields the events of the stream, up to `[DONE]`. If a failure ended the turn, one event reports it. */
export async function* streamedAnswer(turn: TurnToAnswer, options: StreamOptions): AsyncGenerator<SentEvent, void> {
  const { isBackground, hasPings, turnId, isNew, afterSequence } = options;
  let { startingAfter } = options;
  const numberOf = (number: number): number | null => (isBackground ? number : null);
  if (isNew && hasPings && turn.extension.hasPings) {
    startingAfter = Math.max(startingAfter, 1);
    yield { data: { ...ping(turnId, randomUUID(), systemClock.now()), seq_id: numberOf(1) } };
  }
  const encoder = encoderOf(turn);
  let last = 0;
  for await (const { message, number, sequence, counts } of numbered(turn, encoder)) {
    last = number;
    if (!counts || number <= startingAfter || sequence <= afterSequence) continue;
    if (message.message_type === "ping" && !hasPings) continue;
    yield { data: { ...message, seq_id: numberOf(number) } };
  }
  yield* lastEvents(encoder.turn(), numberOf(last + 1));
}

function* lastEvents(turn: TurnState, errorNumber: number | null): Generator<SentEvent, void> {
  const { stopReason, usage, failure } = endOf(turn);
  yield { data: stopReason };
  if (failure === null) yield { data: usage };
  else yield failureEvent(turn.turnId, failure.message, errorNumber);
  yield { data: "[DONE]", isRaw: true };
}

function failureEvent(turnId: string, detail: string, seq_id: number | null): SentEvent {
  const run_id = `run-${turnId}`;
  const message = "An error occurred with the LLM request.";
  return {
    event: "error",
    data: { message_type: "error_message", run_id, error_type: "llm_error", message, detail, seq_id },
  };
}
