// Converts the stream of a Chat Completions response to neutral events.
// Invariant: a reply is complete if its finish reason is not a failure, or if it has none and the stream ended with `[DONE]`;
// tool calls are emitted at the end, because deltas of several calls may interleave; the calls of a truncated stream are never
// emitted.
import type OpenAI from "openai";
import { ModelProtocolError } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json-values.ts";
import { noUsage, type Usage } from "../../../base/message/message.ts";
import type { ModelEvent, ModelStopReason } from "../model.ts";
import { sealSignature } from "../wire/thought-signature.ts";

type Chunk = OpenAI.ChatCompletionChunk;
type Delta = Partial<Omit<Chunk["choices"][number]["delta"], "content">> & {
  /** Mistral's reasoning models send parts: thoughts and texts. */
  readonly content?: string | null | readonly ContentPart[];
  // Thoughts: servers send `reasoning_content` (DeepSeek, vLLM, llama.cpp) or `reasoning` (Ollama, OpenRouter).
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
};

interface ContentPart {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string | readonly ContentPart[];
}

/** Finish reasons of replies that the server could not complete (DeepSeek, OpenRouter and Mistral, vLLM). */
const failures: ReadonlySet<string> = new Set(["insufficient_system_resource", "error", "abort"]);

export interface ChatStreamOptions {
  /** The model's full name, stored in the signatures of thoughts: they are sent back only to this model. */
  readonly origin: string;
  /** Whether the request ends with tool results: later requests must then contain the reply's thoughts. */
  readonly answersResults: boolean;
  /** Whether the stream ended with `[DONE]`; some servers never send a finish reason. */
  readonly isDone: () => boolean;
  /** Creates ids for calls from servers that send no ids. */
  readonly newCallId: () => string;
}

interface Reading extends ChatStreamOptions {
  /** Whether the field `reasoning_content` contained a thought whose signature is not yet emitted. */
  isThinking: boolean;
  /** The collector of the calls; null until a call begins. */
  calls: CallCollector | null;
  usage: Usage;
  finishReason: string | null;
  refused: boolean;
}

/** Yields the neutral events of one reply. Throws ModelProtocolError if the reply is truncated. */
export async function* fromChatStream(
  chunks: AsyncIterable<Chunk>,
  options: ChatStreamOptions,
): AsyncGenerator<ModelEvent> {
  const reading: Reading = {
    ...options,
    isThinking: false,
    calls: null,
    usage: noUsage,
    finishReason: null,
    refused: false,
  };
  for await (const chunk of chunks) yield* readChunk(reading, chunk);
  const { finishReason } = reading;
  if (finishReason === null ? !options.isDone() : failures.has(finishReason)) {
    throw new ModelProtocolError("The reply of the Chat Completions API ended before it was complete. Try again.", {
      provider: "openai",
    });
  }
  const calls = reading.calls?.calls() ?? [];
  if (calls.length > 0) yield* sealThought(reading);
  for (const { extra, ...call } of calls) {
    if (extra !== undefined) {
      const signature = sealSignature(options.origin, extraKind, JSON.stringify(extra));
      yield { type: "thought-signature", signature };
    }
    yield { type: "tool-call", ...call };
  }
  yield { type: "end", stopReason: stopReasonOf(reading, calls.length), usage: reading.usage };
}

function* readChunk(reading: Reading, chunk: Chunk): Generator<ModelEvent> {
  if (chunk.usage) reading.usage = usageOf(chunk.usage);
  const choice = chunk.choices?.[0];
  if (choice === undefined) return;
  reading.finishReason = choice.finish_reason ?? reading.finishReason;
  yield* readDelta(reading, choice.delta ?? {});
}

function* readDelta(reading: Reading, delta: Delta): Generator<ModelEvent> {
  const thought = delta.reasoning_content ?? delta.reasoning;
  if (thought) yield { type: "thought-delta", text: thought };
  if (delta.reasoning_content) reading.isThinking = true;
  if (reading.answersResults && delta.content) yield* sealThought(reading);
  yield* readContent(delta.content ?? "");
  if (delta.refusal) {
    reading.refused = true;
    yield { type: "text-delta", text: delta.refusal };
  }
  for (const call of delta.tool_calls ?? []) {
    reading.calls ??= createCallCollector(reading.newCallId);
    reading.calls.add(call);
  }
}

/** The kind of signature of a thought that arrived in the field `reasoning_content` and is sent back in this field. */
export const reasoningKind = "reasoning_content";

/** The kind of a signature that contains a call's field `extra_content`, in which Gemini signs its thoughts. */
export const extraKind = "extra_content";

function* sealThought(reading: Reading): Generator<ModelEvent> {
  if (!reading.isThinking) return;
  reading.isThinking = false;
  yield { type: "thought-signature", signature: sealSignature(reading.origin, reasoningKind, "") };
}

function* readContent(content: string | readonly ContentPart[]): Generator<ModelEvent> {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
  for (const part of parts) {
    const isThought = part.type === "thinking";
    const text = isThought ? textOf(part.thinking ?? "") : part.text;
    if (text) yield { type: isThought ? "thought-delta" : "text-delta", text };
  }
}

function textOf(thinking: string | readonly ContentPart[]): string {
  return typeof thinking === "string" ? thinking : thinking.map(({ text = "" }) => text).join("");
}

function stopReasonOf({ finishReason, refused }: Reading, calls: number): ModelStopReason {
  if (finishReason === "length" || finishReason === "model_length") return "length";
  if (finishReason === "content_filter" || refused) return "refusal";
  return calls > 0 ? "tool-calls" : "end";
}

function usageOf(usage: Partial<OpenAI.CompletionUsage>): Usage {
  return {
    inputTokens: usage.prompt_tokens ?? 0,
    outputTokens: usage.completion_tokens ?? 0,
    cachedInputTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
  };
}

export interface WatchedResponse {
  readonly response: Response;
  readonly isDone: () => boolean;
}

/**
 * Returns a response with the same events, and detects the closing `[DONE]` while the events are read. Expects one
 * event per chunk. The SDK hides this line, but without it, a complete reply without a finish reason could not be
 * distinguished from a truncated reply.
 */
export function watchForDone({ body, headers }: Response): WatchedResponse {
  let done = false;
  async function* watched(events: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const event of events) {
      // `[DONE]` inside a line is the model's own text.
      done ||= /^data: ?\[DONE\]/mu.test(Buffer.from(event.buffer, event.byteOffset, event.length).toString("latin1"));
      yield event;
    }
  }
  // A generator is enough, because the SDK only iterates over the body; another ReadableStream would double the cost.
  const response = { body: body && watched(body), headers } as unknown as Response;
  return { response, isDone: () => done };
}

type CallDelta = Partial<OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall> & { readonly [extraKind]?: unknown };

interface CollectedCall {
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
  readonly extra: unknown;
}

interface CallCollector {
  add(delta: CallDelta): void;
  /** Returns the calls in the order in which they began. */
  calls(): readonly CollectedCall[];
}

interface PartialCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  json: string;
  extra: unknown;
}

/** Creates a collector of calls. `newCallId` creates ids for calls from servers that send no ids. */
function createCallCollector(newCallId: () => string): CallCollector {
  const partials: PartialCall[] = [];
  return {
    add(delta) {
      const open = partials.findLast((call) => delta.index === undefined || call.index === delta.index);
      let call = open;
      if (call === undefined || startsAnother(call, delta)) {
        call = { index: delta.index, id: "", name: "", json: "", extra: undefined };
        partials.push(call);
      }
      call.id ||= delta.id ?? "";
      call.name ||= delta.function?.name ?? "";
      call.json += delta.function?.arguments ?? "";
      call.extra ??= delta[extraKind] ?? undefined;
    },
    calls: () =>
      partials.map(({ id, name, json, extra }) => ({
        callId: id || newCallId(),
        name,
        arguments: json.trim() ? json : "{}",
        extra,
      })),
  };
}

// Returns whether a delta starts another call. Some servers give every call the index 0, or no index: then a different id, or
// a name after complete arguments, starts another call. Other servers repeat id and name in every delta of a call.
function startsAnother(call: PartialCall, delta: CallDelta): boolean {
  if (delta.id && call.id) return delta.id !== call.id;
  return Boolean(delta.function?.name) && parseJson(call.json) !== undefined;
}
