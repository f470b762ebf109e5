// Converts a turn's events to a completion of OpenAI's API, whole or in chunks.
import type { AgentEvent, EventOf, StopReason, TurnEnd } from "../../../agent/events.ts";
import { replayRun } from "../../stream/ai-sdk/replay-run.ts";
import type { SentEvent } from "../event-stream.ts";
import { answerText, requireSuccess } from "./model-turn.ts";

export interface CompletionPlace {
  readonly model: string;
  readonly conversationId: string;
  /** The time of the answer, in seconds since 1970. */
  readonly created: number;
  /** Whether a last chunk with the usage is added. */
  readonly includeUsage: boolean;
}

type EndReason = "stop" | "length" | "tool_calls" | "content_filter";

const reasons: Readonly<Partial<Record<StopReason, EndReason>>> = {
  length: "length",
  "max-steps": "length",
  budget: "length",
  refusal: "content_filter",
  "awaiting-result": "tool_calls",
};

function toolCall({ callId, name, arguments: json }: EventOf<"result-requested">) {
  return { id: callId, type: "function", function: { name, arguments: json } };
}

/** Returns the completion of a turn. Throws Fault if a failure ended the turn. */
export async function wholeCompletion(events: AsyncIterable<AgentEvent>, place: CompletionPlace) {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  // Drops the text of model calls that were repeated.
  const kept = replayRun(all);
  const text = kept.map(answerText()).join("");
  const calls = kept.flatMap((event) => (event.type === "result-requested" ? [toolCall(event)] : []));
  const end = requireSuccess(kept.findLast((event) => event.type === "turn-end") ?? null);
  const message = {
    role: "assistant",
    content: text,
    refusal: null,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: reasonOf(end) };
  return { ...headOf(end.turnId, "chat.completion", place), choices: [choice], usage: usageOf(end) };
}

/** Yields the chunks, then `[DONE]`. Throws Fault if a failure ended the turn. */
export async function* completionChunks(
  events: AsyncIterable<AgentEvent>,
  place: CompletionPlace,
): AsyncGenerator<SentEvent, void> {
  const textOf = answerText();
  let calls = 0;
  let end: TurnEnd | null = null;
  for await (const event of events) {
    const chunk = (delta: object, reason: EndReason | null = null): SentEvent => {
      const choice = { index: 0, delta, logprobs: null, finish_reason: reason };
      return { data: { ...headOf(event.turnId, "chat.completion.chunk", place), choices: [choice], usage: null } };
    };
    const text = textOf(event);
    if (event.type === "turn-start") yield chunk({ role: "assistant", content: "" });
    else if (text !== "") yield chunk({ content: text });
    else if (event.type === "result-requested") {
      yield chunk({ tool_calls: [{ index: calls, ...toolCall(event) }] });
      calls += 1;
    } else if (event.type === "turn-end") {
      end = requireSuccess(event);
      yield chunk({}, reasonOf(event));
      const usage = { ...headOf(event.turnId, "chat.completion.chunk", place), choices: [], usage: usageOf(event) };
      if (place.includeUsage) yield { data: usage };
    }
  }
  requireSuccess(end);
  yield { data: "[DONE]", isRaw: true };
}

function headOf(turnId: string, object: string, { model, conversationId, created }: CompletionPlace) {
  return { id: `chatcmpl-${turnId}`, object, created, model, conversation_id: conversationId };
}

function reasonOf({ stopReason }: TurnEnd): EndReason {
  return reasons[stopReason] ?? "stop";
}

function usageOf({ usage: { inputTokens, outputTokens, cachedInputTokens } }: TurnEnd) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
  };
}
