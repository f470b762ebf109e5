// Builds the response object of OpenAI's Responses API.
// Invariant: the ids of a response and of its items contain their turn's id, so that a later request can continue from that
// turn.
import * as z from "zod";
import type { TurnEnd } from "../../../agent/events.ts";
import { clientText } from "../fault.ts";
import type { CompletionPlace } from "./completion.ts";
import type { ResponseItem } from "./response-items.ts";

export const responseShape = z.looseObject({
  id: z.string(),
  object: z.literal("response"),
  created_at: z.int(),
  status: z.enum(["completed", "incomplete", "failed", "in_progress"]),
  model: z.string(),
  output: z.array(z.looseObject({ id: z.string(), type: z.string() })),
  conversation: z.looseObject({ id: z.string() }),
});

export interface ResponsePlace extends Omit<CompletionPlace, "includeUsage"> {
  readonly instructions: string | null;
  readonly previousResponseId: string | null;
}

/** Returns the id of a response. `sequence`: the number of its first event, as a turn can have several responses. */
export function responseId(turnId: string, sequence: number): string {
  return `resp_${turnId}_${sequence}`;
}

/** Returns the id of the turn in the id of a response or of one of its items; null if the id has another form. */
export function turnIdOf(id: string): string | null {
  return /^(?:resp|msg|rs|fc)_([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:_\d+){1,2}$/u.exec(id)?.[1] ?? null;
}

export interface ResponseState {
  readonly id: string;
  readonly output: readonly ResponseItem[];
  /** The end of the turn; null while it runs. */
  readonly end: TurnEnd | null;
}

export function responseObject(place: ResponsePlace, { id, output, end }: ResponseState) {
  return {
    id,
    object: "response" as const,
    created_at: place.created,
    ...outcomeOf(end),
    model: place.model,
    output,
    conversation: { id: place.conversationId },
    instructions: place.instructions,
    previous_response_id: place.previousResponseId,
    metadata: {},
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: "auto" as const,
    tools: [],
    top_p: null,
    text: { format: { type: "text" as const } },
    usage: end === null ? null : usageOf(end),
  };
}

const cuts = {
  length: "max_output_tokens",
  "max-steps": "max_output_tokens",
  budget: "max_output_tokens",
  refusal: "content_filter",
};

function outcomeOf(end: TurnEnd | null) {
  const none = { error: null, incomplete_details: null };
  if (end === null) return { status: "in_progress" as const, ...none };
  const { stopReason, error } = end;
  if (error !== undefined && stopReason !== "budget") {
    return { status: "failed" as const, ...none, error: { code: error.code, message: clientText(error) } };
  }
  const reason = cuts[stopReason as keyof typeof cuts];
  if (reason !== undefined) return { status: "incomplete" as const, ...none, incomplete_details: { reason } };
  return stopReason === "interrupted"
    ? { status: "incomplete" as const, ...none }
    : { status: "completed" as const, ...none };
}

function usageOf({ usage: { inputTokens, outputTokens, cachedInputTokens } }: TurnEnd) {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}
