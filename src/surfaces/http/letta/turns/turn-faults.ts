// Faults of turns, with Letta's bodies.
// Invariant: clients tell these faults apart by their bodies, which are Letta's.
import { WireFault } from "../wire-fault.ts";
import type { ShownFailure } from "./turn-end.ts";

export function conversationBusy(turnId: string): WireFault {
  const run_id = `run-${turnId}`;
  const detail = `CONFLICT: Cannot send a new message: Another request (run_id=${run_id}) is currently being processed for this conversation. Please wait for the current request to complete.`;
  return new WireFault(409, "agent_busy", { detail, run_id }, { retryAfterMs: 1000 });
}

/** `requestId`: the message whose calls wait. */
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

/** `ids`: of the calls that wait. */
export function otherCallsWait(ids: readonly string[], given: readonly string[]): WireFault {
  const detail = `INVALID_ARGUMENT: Invalid tool call IDs. Expected '[${ids.join(", ")}]', but received '[${given.join(", ")}]'.`;
  return new WireFault(400, "approval_not_found", { detail });
}

const failureStatuses: Readonly<Record<string, readonly [status: number, message: string]>> = {
  llm_authentication: [401, "Authentication failed with the LLM model provider."],
  llm_insufficient_credits: [402, "A limit of tokens or money was reached."],
  llm_rate_limit: [429, "Rate limit exceeded for LLM model provider. Please wait before making another request."],
  llm_timeout: [504, "The LLM request timed out. Please try again."],
  llm_bad_request: [400, "The request to the LLM model provider was invalid."],
};

/** A failure that ended a turn whose answer is not streamed. */
export function turnFailed({ type, code, message: detail }: ShownFailure): WireFault {
  const [status, message] = failureStatuses[type] ?? [500, "An error occurred with the LLM request."];
  return new WireFault(status, code, { error: { type, message, detail } }, { message });
}
