// Converts the events of Anthropic's stream to neutral events.
// Invariant: a stream without `message_stop`, or without the call that its stop reason announces, is an error, even if much of
// it arrived; a call is emitted only after its block is closed.
import type Anthropic from "@anthropic-ai/sdk";
import type { BetaMessage } from "@anthropic-ai/sdk/resources/beta/messages/messages";
import { ModelProtocolError } from "../../../base/errors.ts";
import type { Usage } from "../../../base/message/message.ts";
import type { ModelEvent, ModelStopReason } from "../model.ts";
import { cacheMissOf } from "./cache-diagnosis.ts";
import { sealSignature } from "../wire/thought-signature.ts";

type WireEvent = Anthropic.RawMessageStreamEvent;
type WireUsage = Partial<Anthropic.MessageDeltaUsage>;

type OpenBlock =
  | { readonly type: "tool"; readonly callId: string; readonly name: string; readonly input: unknown; json: string }
  | { readonly type: "thinking"; signature: string }
  | { readonly type: "redacted"; readonly signature: string }
  | { readonly type: "text" }
  | { readonly type: "other" };

/** Facts about the request that are known once the stream has begun. */
export interface SentRequest {
  /** Returns the name (`originOf`) that is stored with the signatures of the reply's thoughts. */
  readonly origin: () => string;
  /** Returns the number of thoughts that the API refused. */
  readonly refused: () => number;
  /** Receives the id of the reply. */
  readonly onId?: (id: string) => void;
}

interface Reading extends SentRequest {
  readonly blocks: Map<number, OpenBlock>;
  usage: WireUsage;
  stopReason: Anthropic.StopReason | null;
  calls: number;
  /** The number of dropped thoughts and the reason of a cache miss, as the API reports them. */
  sending: Pick<Usage, "droppedThoughts" | "cacheMiss">;
}

/** Yields the neutral events of one reply. Throws ModelProtocolError if the stream is truncated. */
export async function* fromAnthropicStream(
  events: AsyncIterable<WireEvent>,
  request: SentRequest,
): AsyncGenerator<ModelEvent> {
  const reading: Reading = { ...request, blocks: new Map(), usage: {}, stopReason: null, calls: 0, sending: {} };
  for await (const event of events) {
    if (event.type === "message_stop") {
      if (reading.stopReason === "tool_use" && reading.calls === 0) throw truncated();
      yield {
        type: "end",
        stopReason: stopReasonOf(reading),
        usage: { ...usageOf(reading.usage), ...reading.sending },
      };
      return;
    }
    yield* readEvent(reading, event);
  }
  throw truncated();
}

function truncated(): ModelProtocolError {
  return new ModelProtocolError("The reply of Anthropic's API ended before it was complete. Try again.", {
    provider: "anthropic",
  });
}

function* readEvent(reading: Reading, event: WireEvent): Generator<ModelEvent> {
  switch (event.type) {
    case "message_start":
      noteUsage(reading, event.message.usage);
      noteSending(reading, event.message);
      if (usageOf(reading.usage).inputTokens > 0) yield { type: "usage", usage: usageOf(reading.usage) };
      break;
    case "content_block_start":
      yield* openBlock(reading, event);
      break;
    case "content_block_delta":
      yield* readDelta(blockAt(reading, event.index), event.delta);
      break;
    case "content_block_stop":
      yield* closeBlock(reading, event.index);
      break;
    case "message_delta":
      reading.stopReason = event.delta.stop_reason ?? reading.stopReason;
      noteUsage(reading, event.usage);
      break;
    default:
      break;
  }
}

function* openBlock(
  reading: Reading,
  { index, content_block: block }: Anthropic.RawContentBlockStartEvent,
): Generator<ModelEvent> {
  switch (block.type) {
    case "text":
      reading.blocks.set(index, { type: "text" });
      if (block.text) yield { type: "text-delta", text: block.text };
      break;
    case "thinking":
      reading.blocks.set(index, { type: "thinking", signature: block.signature ?? "" });
      if (block.thinking) yield { type: "thought-delta", text: block.thinking };
      break;
    case "redacted_thinking":
      reading.blocks.set(index, { type: "redacted", signature: block.data });
      break;
    case "tool_use":
      reading.blocks.set(index, { type: "tool", callId: block.id, name: block.name, input: block.input, json: "" });
      break;
    default:
      // Blocks of the provider's own tools, which requests never enable.
      reading.blocks.set(index, { type: "other" });
  }
}

function* readDelta(block: OpenBlock, delta: Anthropic.RawContentBlockDelta): Generator<ModelEvent> {
  if (delta.type === "text_delta") {
    if (delta.text) yield { type: "text-delta", text: delta.text };
  } else if (delta.type === "thinking_delta") {
    if (delta.thinking) yield { type: "thought-delta", text: delta.thinking };
  } else if (delta.type === "signature_delta") {
    if (block.type === "thinking") block.signature += delta.signature;
  } else if (delta.type === "input_json_delta" && block.type === "tool") {
    block.json += delta.partial_json;
  }
}

function* closeBlock(reading: Reading, index: number): Generator<ModelEvent> {
  const block = blockAt(reading, index);
  reading.blocks.delete(index);
  if (block.type === "tool") {
    reading.calls += 1;
    const { callId, name } = block;
    yield { type: "tool-call", callId, name, arguments: block.json || JSON.stringify(block.input ?? {}) };
  } else if (block.type === "redacted" || (block.type === "thinking" && block.signature !== "")) {
    const kind = block.type;
    yield { type: "thought-signature", signature: sealSignature(reading.origin(), kind, block.signature) };
  }
}

function blockAt(reading: Reading, index: number): OpenBlock {
  const block = reading.blocks.get(index);
  if (block !== undefined) return block;
  throw new ModelProtocolError(`Anthropic's API sent a part of block ${index}, but never began it. Try again.`, {
    provider: "anthropic",
  });
}

function stopReasonOf({ stopReason, calls }: Reading): ModelStopReason {
  if (stopReason === "max_tokens" || stopReason === "model_context_window_exceeded") return "length";
  if (stopReason === "refusal") return "refusal";
  return calls > 0 ? "tool-calls" : "end";
}

// The API's token counts are cumulative; a count that is null or missing later does not reset the earlier count.
function noteUsage(reading: Reading, usage: WireUsage | undefined): void {
  const known = Object.entries(usage ?? {}).filter(([, value]) => typeof value === "number");
  reading.usage = { ...reading.usage, ...Object.fromEntries(known) };
}

/**
 * Records the number of dropped thoughts and the reason of a cache miss. Both are final in `message_start`, unless the API
 * falls back to another model.
 */
function noteSending(
  reading: Reading,
  message: Partial<Pick<BetaMessage, "id" | "diagnostics" | "input_transformations">>,
): void {
  if (message.id !== undefined) reading.onId?.(message.id);
  const dropped = (message.input_transformations ?? []).filter(({ type }) => type === "thinking_dropped").length;
  const droppedThoughts = reading.refused() + dropped;
  const cacheMiss = cacheMissOf(message.diagnostics);
  reading.sending = {
    ...(droppedThoughts === 0 ? {} : { droppedThoughts }),
    ...(cacheMiss === null ? {} : { cacheMiss }),
  };
}

function usageOf(usage: WireUsage): Usage {
  const cachedInputTokens = usage.cache_read_input_tokens ?? 0;
  return {
    inputTokens: (usage.input_tokens ?? 0) + cachedInputTokens + (usage.cache_creation_input_tokens ?? 0),
    outputTokens: usage.output_tokens ?? 0,
    cachedInputTokens,
  };
}
