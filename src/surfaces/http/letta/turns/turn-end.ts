// How a turn ended, in Letta's words: the reason, the tokens, and the failure.
// Invariant: every stop reason of ours has one of Letta's.
import type { StopReason, TurnEnd } from "../../../../agent/events.ts";
import type { ErrorCode } from "../../../../base/errors.ts";

const reasons: Readonly<Record<StopReason, string>> = {
  "end-turn": "end_turn",
  "max-steps": "max_steps",
  budget: "insufficient_credits",
  length: "max_tokens_exceeded",
  refusal: "end_turn",
  interrupted: "cancelled",
  "tool-rule": "tool_rule",
  "awaiting-approval": "requires_approval",
  "awaiting-result": "requires_approval",
  "model-error": "llm_api_error",
  "context-overflow": "context_window_overflow_in_system_prompt",
};

export function stopReasonOf(reason: StopReason): string {
  return reasons[reason];
}

export interface ShownEnd {
  readonly stopReason: { readonly message_type: "stop_reason"; readonly stop_reason: string };
  readonly usage: Readonly<Record<string, unknown>>;
  /** Null if no failure ended the turn. */
  readonly failure: ShownFailure | null;
}

export interface ShownFailure {
  /** As of an answer that is not streamed. */
  readonly type: string;
  readonly code: ErrorCode;
  readonly message: string;
}

/** `contextTokens`: those of the last model call. */
export function shownEnd({ stopReason, steps, usage, error }: TurnEnd, contextTokens: number | null): ShownEnd {
  const { inputTokens, outputTokens, cachedInputTokens } = usage;
  return {
    stopReason: { message_type: "stop_reason", stop_reason: reasons[stopReason] },
    usage: {
      message_type: "usage_statistics",
      completion_tokens: outputTokens,
      prompt_tokens: inputTokens,
      total_tokens: inputTokens + outputTokens,
      step_count: steps,
      run_ids: null,
      cached_input_tokens: cachedInputTokens,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
      context_tokens: contextTokens,
    },
    failure: error === undefined ? null : { type: failureType(error.code), ...error },
  };
}

const failureTypes: Readonly<Partial<Record<ErrorCode, string>>> = {
  model_auth: "llm_authentication",
  model_rate_limit: "llm_rate_limit",
  model_timeout: "llm_timeout",
  model_request: "llm_bad_request",
  model_unavailable: "llm_error",
  user_limit_reached: "llm_insufficient_credits",
  turn_budget_exceeded: "llm_insufficient_credits",
};

function failureType(code: ErrorCode): string {
  return failureTypes[code] ?? "llm_error";
}
