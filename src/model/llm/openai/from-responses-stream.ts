// Converts the events of OpenAI's Responses stream to neutral events.
// Invariant: only `response.completed` and `response.incomplete` end a reply; any other end is an error.
import type OpenAI from "openai";
import { systemClock } from "../../../base/clock.ts";
import { ModelProtocolError } from "../../../base/errors.ts";
import type { Usage } from "../../../base/message/message.ts";
import type { ModelEvent, ModelStopReason } from "../model.ts";
import { toModelError, type Provider } from "../failure/model-errors.ts";
import { readEventError } from "../failure/sdk-error.ts";
import { sealSignature } from "../wire/thought-signature.ts";

type WireEvent = OpenAI.Responses.ResponseStreamEvent;
type WireResponse = OpenAI.Responses.Response;

interface Reading {
  readonly origin: string;
  readonly provider: Provider;
  /** Returns the number of thoughts that the API refused. */
  readonly refused: () => number;
  calls: number;
  hasRefusal: boolean;
}

/**
 * Yields the neutral events of one reply; `origin` is the model's full name. Throws a ModelError if the reply fails or
 * is truncated.
 */
export async function* fromResponsesStream(
  events: AsyncIterable<WireEvent>,
  { origin, provider, refused }: Pick<Reading, "origin" | "provider" | "refused">,
): AsyncGenerator<ModelEvent> {
  const reading: Reading = { origin, provider, refused, calls: 0, hasRefusal: false };
  for await (const event of events) {
    if (event.type === "response.completed" || event.type === "response.incomplete") {
      const { response } = event;
      const droppedThoughts = refused();
      const usage = { ...usageOf(response.usage), ...(droppedThoughts === 0 ? {} : { droppedThoughts }) };
      yield { type: "end", stopReason: stopReasonOf(reading, response), usage };
      return;
    }
    yield* readEvent(reading, event);
  }
  throw new ModelProtocolError(`The reply of ${provider.title} ended before it was complete. Try again.`, {
    provider: provider.id,
  });
}

function* readEvent(reading: Reading, event: WireEvent): Generator<ModelEvent> {
  switch (event.type) {
    case "response.output_text.delta":
      if (event.delta) yield { type: "text-delta", text: event.delta };
      break;
    case "response.refusal.delta":
      reading.hasRefusal = true;
      yield { type: "text-delta", text: event.delta };
      break;
    case "response.reasoning_summary_part.added":
      if (event.summary_index > 0) yield { type: "thought-delta", text: "\n\n" };
      break;
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      if (event.delta) yield { type: "thought-delta", text: event.delta };
      break;
    case "response.output_item.done":
      yield* readItem(reading, event.item);
      break;
    case "response.failed":
      throw failureOf(reading, event.response.error);
    case "error":
      throw failureOf(reading, event);
    default:
      break;
  }
}

function* readItem(reading: Reading, item: OpenAI.Responses.ResponseOutputItem): Generator<ModelEvent> {
  if (item.type === "function_call") {
    reading.calls += 1;
    yield { type: "tool-call", callId: item.call_id, name: item.name, arguments: item.arguments || "{}" };
  } else if (item.type === "reasoning" && item.encrypted_content) {
    yield {
      type: "thought-signature",
      signature: sealSignature(reading.origin, "reasoning-item", JSON.stringify(item)),
    };
  }
}

function failureOf(
  reading: Reading,
  error: { readonly code?: string | null; readonly message?: string } | null,
): Error {
  return toModelError(readEventError(error ?? {}), reading.provider, systemClock.now());
}

function stopReasonOf({ calls, hasRefusal }: Reading, response: WireResponse): ModelStopReason {
  const reason = response.incomplete_details?.reason;
  if (reason === "content_filter" || hasRefusal) return "refusal";
  if (reason === "max_output_tokens" || response.status === "incomplete") return "length";
  return calls > 0 ? "tool-calls" : "end";
}

function usageOf(usage: Partial<OpenAI.Responses.ResponseUsage> | undefined): Usage {
  return {
    inputTokens: usage?.input_tokens ?? 0,
    outputTokens: usage?.output_tokens ?? 0,
    cachedInputTokens: usage?.input_tokens_details?.cached_tokens ?? 0,
  };
}
