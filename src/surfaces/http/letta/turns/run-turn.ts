// Runs a turn for a route: from the request to its answer, with pings in a silent stream.
import { randomUUID } from "node:crypto";
import { readOnReplies } from "../../../../agent/fold-turn.ts";
import { systemClock } from "../../../../base/clock.ts";
import { ConfigError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { type EventStream, type SentEvent, startedStream } from "../../event-stream.ts";
import type { ReadEvent } from "../../replay-turn.ts";
import type { ConversationRecord } from "../runtime-records.ts";
import { WireFault } from "../wire-fault.ts";
import { runExtensionOf, type RunExtension } from "./run-extension.ts";
import { ping } from "./shown-message.ts";
import { type OpenTurn, startTurn, type TurnToStart } from "./start-turn.ts";
import { type StreamOptions, streamedAnswer, type TurnToAnswer, wholeAnswer } from "./turn-answer.ts";
import { inputOf, optionsOf, type TurnInput, type TurnRequest } from "./turn-request.ts";

export interface TurnCall extends Pick<TurnToStart, "conversation" | "isExclusive" | "metadata"> {
  readonly runtime: UserRuntime;
  readonly request: TurnRequest;
  /** The input of the turn. Default: the input of the request. */
  readonly input?: TurnInput;
  readonly isStreaming: boolean;
  readonly signal: AbortSignal;
}

/** Runs a turn, and returns its answer: a value, or a stream. */
export async function answerTurn(call: TurnCall): Promise<unknown> {
  const { request, isStreaming } = call;
  const isBackground = isStreaming && request.background === true;
  const extension = runExtensionOf(request, call.conversation.isOwn ? "send_message" : "send_conversation_message");
  const opened = await openTurn(call, extension, isBackground);
  const { protocol = (await call.runtime.agents.find((await call.conversation.find()).agentId)).protocol } = opened;
  const events = toItsEnd(call.runtime, opened.events, { find: call.conversation.find, signal: call.signal });
  const turn: TurnToAnswer = { events, pause: opened.pause, extension, protocol };
  if (!isStreaming) return wholeAnswer({ ...turn, extension: { ...extension, isInPieces: false } }, opened.after);
  return streamOf(turn, {
    isBackground,
    hasPings: extension.hasPings,
    startingAfter: 0,
    afterSequence: opened.after,
    turnId: opened.turnId,
    isNew: opened.isNew && isBackground,
  });
}

interface Reading {
  /** Returns the conversation of the turn. */
  readonly find: () => Promise<Pick<ConversationRecord, "id" | "agentId">>;
  /** Ends the reading of the events when aborted. */
  readonly signal: AbortSignal;
}

/** Yields the events of a turn. If the turn pauses for another agent's reply, also yields the events after this reply. */
export function toItsEnd(
  { turns }: Pick<UserRuntime, "turns">,
  read: AsyncIterable<ReadEvent>,
  { find, signal }: Reading,
): AsyncGenerator<ReadEvent, void> {
  return readOnReplies(read, {
    turns,
    eventOf: ({ event }) => event,
    pause: (ms) =>
      systemClock.sleep(ms, signal, { background: true }).then(
        () => true,
        () => false,
      ),
    async *later({ turnId, sequence }) {
      const { id: conversation, agentId: agent } = await find();
      const events = turns.events(turnId, { conversation, agent, after: sequence, signal });
      for await (const event of events) yield { event, counts: true };
    },
  });
}

/** Starts a turn in the background, and returns its id without reading its events. */
export async function startUnread(call: TurnCall): Promise<string> {
  const { turnId } = await openTurn(call, runExtensionOf(call.request, "send_message_async"), true);
  return turnId;
}

function openTurn(call: TurnCall, extension: RunExtension, isBackground: boolean): Promise<OpenTurn> {
  const { runtime, conversation, request, isExclusive, signal } = call;
  const options = optionsOf(request);
  if (options.model !== undefined) requireModel(runtime, options.model);
  return startTurn(runtime, {
    conversation,
    isExclusive,
    input: call.input ?? inputOf(request),
    extension,
    ...(call.metadata === undefined ? {} : { metadata: call.metadata }),
    options,
    isBackground,
    ...(isBackground ? { signal } : {}),
  });
}

/** Checks a model's handle. Throws WireFault for a model that agents cannot have. */
function requireModel({ models }: UserRuntime, handle: string): void {
  try {
    models.find(handle);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const detail = `NOT_FOUND: Handle ${handle} not found. ${error.message}`;
    throw new WireFault(404, "config_invalid", { detail }, { cause: error });
  }
}

/** Milliseconds without an event after which a stream sends a ping. */
const idleMs = 15_000;

/** Starts the stream of an answer. Rejects if the stream fails before its first event and within 3 seconds. */
export function streamOf(turn: TurnToAnswer, options: StreamOptions): Promise<EventStream> {
  const events = streamedAnswer(turn, options);
  if (!options.hasPings) return startedStream(events);
  const onSilence = () => ({ data: ping(options.turnId, randomUUID(), systemClock.now()) });
  return startedStream(withIdlePings(events, onSilence));
}

async function* withIdlePings(
  events: AsyncGenerator<SentEvent, void>,
  onSilence: () => SentEvent,
): AsyncGenerator<SentEvent, void> {
  try {
    for (let next = events.next(); ; ) {
      const silence = new AbortController();
      const waited = systemClock.sleep(idleMs, silence.signal, { background: true }).then(
        () => null,
        () => null,
      );
      const result = await Promise.race([next, waited]);
      silence.abort();
      if (result === null) {
        yield onSilence();
        continue;
      }
      if (result.done === true) return;
      yield result.value;
      next = events.next();
    }
  } finally {
    await events.return();
  }
}
