// Converts the end of a turn to Letta's words: the reason, the tokens and the failure; and builds the faults for refused turns.
import type { StopReason, TurnEnd, TurnFailure } from "../../../../agent/events.ts";
import type { ErrorCode } from "../../../../base/errors.ts";
import { clientText } from "../../fault.ts";
import { WireFault } from "../wire-fault.ts";

/** Letta's word for each reason why a turn ends. */
export const stopReasons: Readonly<Record<StopReason, string>> = {
  "end-turn": "end_turn",
  "max-steps": "max_steps",
  budget: "insufficient_credits",
  length: "max_tokens_exceeded",
  refusal: "end_turn",
  interrupted: "cancelled",
  "tool-rule": "tool_rule",
  "awaiting-approval": "requires_approval",
  "awaiting-result": "requires_approval",
  "awaiting-reply": "end_turn",
  "model-error": "llm_api_error",
  "context-overflow": "context_window_overflow_in_system_prompt",
};

/**
 * Returns the end of a turn in Letta's words, and the failure that ended it; null if none did. `contextTokens`: the tokens of the
 * last model call.
 */
export function shownEnd({ stopReason, steps, usage, error }: TurnEnd, contextTokens: number | null) {
  const { inputTokens, outputTokens, cachedInputTokens } = usage;
  return {
    stopReason: { message_type: "stop_reason", stop_reason: stopReasons[stopReason] },
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
    failure: error === undefined ? null : { code: error.code, message: clientText(error) },
  };
}

export function conversationBusy(turnId: string): WireFault {
  const run_id = `run-${turnId}`;
  const detail = `CONFLICT: Cannot send a new message: Another request (run_id=${run_id}) is currently being processed for this conversation. Please wait for the current request to complete.`;
  return new WireFault(409, "agent_busy", { detail, run_id }, { retryAfterMs: 1000 });
}

/** Returns the fault for a message to a conversation with waiting calls. `requestId`: the message with the calls. */
export function approvalPending(requestId: string, cause: unknown): WireFault {
  const message =
    "CONFLICT: Cannot send a new message: The agent is waiting for approval on a tool call. Please approve or deny the pending request before continuing.";
  const detail = { code: "PENDING_APPROVAL", message, pending_request_id: requestId };
  return new WireFault(409, "approval_pending", { detail }, { message, cause });
}

export function nothingToApprove(): WireFault {
  const detail =
    "Cannot process approval response: No tool call is currently awaiting approval. Please send a regular message to interact with the agent.";
  return new WireFault(400, "approval_not_found", { detail });
}

/** Returns the fault for decisions about calls that do not wait. `given`: these calls. `ids`: the waiting calls. */
export function otherCallsWait(ids: readonly string[], given: readonly string[]): WireFault {
  const detail = `INVALID_ARGUMENT: Invalid tool call IDs. Expected '[${ids.join(", ")}]', but received '[${given.join(", ")}]'.`;
  return new WireFault(400, "approval_not_found", { detail });
}

/** Letta's type of an error, and its status and message if the answer is not streamed. */
type ErrorFacts = readonly [type: string, status: number, message: string];

const credits: ErrorFacts = ["llm_insufficient_credits", 402, "A limit for tokens or money was reached."];

const failures: Readonly<Partial<Record<ErrorCode, ErrorFacts>>> = {
  model_auth: ["llm_authentication", 401, "Authentication failed with the LLM model provider."],
  model_rate_limit: [
    "llm_rate_limit",
    429,
    "Rate limit exceeded for LLM model provider. Please wait before making another request.",
  ],
  model_timeout: ["llm_timeout", 504, "The LLM request timed out. Please try again."],
  model_request: ["llm_bad_request", 400, "The request to the LLM model provider was invalid."],
  user_limit_reached: credits,
  turn_budget_exceeded: credits,
};

const otherFailure: ErrorFacts = ["llm_error", 500, "An error occurred with the LLM request."];

/** Returns the fault for a turn that a failure ended. Used if the answer is not streamed. */
export function turnFailed({ code, message: detail }: Pick<TurnFailure, "code" | "message">): WireFault {
  const [type, status, message] = failures[code] ?? otherFailure;
  return new WireFault(status, code, { error: { type, message, detail } }, { message });
}
