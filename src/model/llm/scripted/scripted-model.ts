// Creates a model that returns the replies of a test's script, in a stream like a real model's.
// Invariant: deterministic: nothing is random, and nothing waits unless a reply has a delay.
import {
  type ArgumentCheck,
  anything,
  list,
  number,
  optional,
  options as optionsOf,
  text,
} from "../../../base/arguments/argument-checks.ts";
import { clock as clockShape } from "../../../base/arguments/port-checks.ts";
import { type Clock, systemClock } from "../../../base/clock.ts";
import { takeCodePoints } from "../../../base/code-points.ts";
import { ModelProtocolError, ModelRequestError } from "../../../base/errors.ts";
import { noUsage, type Usage } from "../../../base/message/message.ts";
import type { Model, ModelEvent, ModelRequest, ModelStopReason } from "../model.ts";

export interface ScriptedToolCall {
  readonly name: string;
  /** The arguments as an object, or as text that a model might write, possibly malformed. */
  readonly arguments: object | string;
  /** Default `call_<reply>_<number>`, both counted from 1. */
  readonly callId?: string;
}

/** One reply, emitted in this order: thought, text, tool calls. */
export interface ScriptedReply {
  readonly thought?: string;
  readonly text?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** Default `tool-calls` for a reply with tool calls, else `end`. */
  readonly stopReason?: ModelStopReason;
  readonly usage?: Usage;
  /** Thrown instead of the reply, or, with `cutAfter`, after that many events of the reply. */
  readonly error?: Error;
  /** The stream fails after this many events, with `error` or a ModelProtocolError. */
  readonly cutAfter?: number;
  /** Milliseconds before the first event. */
  readonly delayMs?: number;
  /** Code points per delta. Default 8. */
  readonly chunkSize?: number;
}

/** Replies in order, or a function of the request and its number (from 0) that returns undefined at the end. */
export type ScriptedReplies =
  | readonly ScriptedReply[]
  | ((request: ModelRequest, index: number) => ScriptedReply | undefined);

export interface ScriptedModelOptions {
  readonly replies: ScriptedReplies;
  /** Default `scripted`. */
  readonly name?: string;
  /** Default 128,000. */
  readonly contextWindow?: number;
  /** The clock for `delayMs`. Default: the system clock. */
  readonly clock?: Clock;
}

export interface ScriptedModel extends Model {
  /** Every request so far, copied on arrival. */
  readonly requests: readonly ModelRequest[];
}

const replyCheck = optionsOf<ScriptedReply>(
  {
    thought: optional(text),
    text: optional(text),
    toolCalls: optional(
      list(
        optionsOf<ScriptedToolCall>(
          { name: text, arguments: anything, callId: optional(text) },
          { otherNames: { args: "Use `arguments`.", input: "Use `arguments`.", id: "Use `callId`." } },
        ),
      ),
    ),
    stopReason: optional(text),
    usage: anything,
    error: anything,
    cutAfter: optional(number),
    delayMs: optional(number),
    chunkSize: optional(number),
  },
  { otherNames: { content: "Use `text`.", tool_calls: "Use `toolCalls`." } },
);

const repliesList = list(replyCheck, "Pass `replies: [{ text: … }]`, or a function of the request.");

const repliesCheck: ArgumentCheck = (value, place) => {
  if (typeof value !== "function") repliesList(value, place);
};

const checkOptions = optionsOf<ScriptedModelOptions>({
  replies: repliesCheck,
  name: optional(text),
  contextWindow: optional(number),
  clock: optional(clockShape),
});

/** Creates a scripted model. A call after the last reply throws a ModelRequestError. */
export function createScriptedModel(options: ScriptedModelOptions): ScriptedModel {
  checkOptions(options, { of: "configuration", call: "createScriptedModel", field: "options", isArgument: true });
  const { replies, name = "scripted", contextWindow = 128_000, clock = systemClock } = options;
  const requests: ModelRequest[] = [];

  async function* stream(
    request: ModelRequest,
    { signal }: { readonly signal?: AbortSignal },
  ): AsyncGenerator<ModelEvent> {
    signal?.throwIfAborted();
    const index = requests.push(copyOf(request)) - 1;
    const reply = typeof replies === "function" ? replies(request, index) : replies[index];
    if (reply === undefined) throw noReplyLeft(name, index, replies);
    if (reply.delayMs !== undefined) await clock.sleep(reply.delayMs, signal);
    if (reply.error !== undefined && reply.cutAfter === undefined) throw reply.error;
    for (const event of cut(eventsOf(reply, index), reply)) {
      signal?.throwIfAborted();
      yield event;
    }
  }

  return { name, contextWindow, requests, stream };
}

function copyOf({ loadFile, ...values }: ModelRequest): ModelRequest {
  return { ...structuredClone(values), ...(loadFile === undefined ? {} : { loadFile }) };
}

function* eventsOf(reply: ScriptedReply, index: number): Generator<ModelEvent> {
  const { thought = "", text = "", toolCalls = [], chunkSize = 8, usage = noUsage } = reply;
  for (const chunk of chunksOf(thought, chunkSize)) yield { type: "thought-delta", text: chunk };
  for (const chunk of chunksOf(text, chunkSize)) yield { type: "text-delta", text: chunk };
  yield* toolCalls.map((call, at) => callEvent(call, `call_${index + 1}_${at + 1}`));
  yield { type: "end", stopReason: reply.stopReason ?? (toolCalls.length > 0 ? "tool-calls" : "end"), usage };
}

function callEvent(call: ScriptedToolCall, defaultId: string): ModelEvent {
  const json = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
  return { type: "tool-call", callId: call.callId ?? defaultId, name: call.name, arguments: json };
}

function* cut(events: Iterable<ModelEvent>, { cutAfter, error }: ScriptedReply): Generator<ModelEvent> {
  let count = 0;
  for (const event of events) {
    if (count === cutAfter) {
      throw error ?? new ModelProtocolError("The scripted stream was truncated.", { provider: "scripted" });
    }
    count += 1;
    yield event;
  }
}

function* chunksOf(text: string, size: number): Generator<string> {
  for (let rest = text; rest !== ""; ) {
    const chunk = takeCodePoints(rest, Math.max(1, size));
    yield chunk;
    rest = rest.slice(chunk.length);
  }
}

function noReplyLeft(name: string, index: number, replies: ScriptedReplies): ModelRequestError {
  const known = typeof replies === "function" ? "`replies` returned none" : `only ${replies.length} were scripted`;
  return new ModelRequestError(
    `The model "${name}" was asked for reply ${index + 1}, but ${known}. Script another reply, or find out why it was called again.`,
    { provider: "scripted" },
  );
}
