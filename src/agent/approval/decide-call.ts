// Commits the user's decision about a call that waits for approval.
// Invariant: an invalid decision is refused before anything is written, and a committed decision is carried out.
import { RequestError, ToolError } from "../../base/errors.ts";
import type { ApprovalDecision, ApprovalRecord } from "../../store/port/approval-store.ts";
import { isExpired } from "./open-calls.ts";
import { resumeDecided, type ResumePoint } from "../opening/recover.ts";
import type { AgentDeps } from "../turn.ts";

export type Verdict =
  | { readonly verdict: "approved"; readonly arguments?: Readonly<Record<string, unknown>> }
  | { readonly verdict: "denied"; readonly reason?: string };

/**
 * Commits the decision and returns where the turn continues. Throws RequestError `approval_not_found` or
 * `input_invalid`.
 */
export async function decideCall(
  deps: Pick<AgentDeps, "session" | "tools" | "clock">,
  callId: string,
  verdict: Verdict,
): Promise<ResumePoint> {
  const { session, clock } = deps;
  await session.reload();
  const at = clock.now();
  const waiting = session.approvals.waiting(session.messages).filter(({ awaits }) => awaits === "approval");
  const call = waiting.find((one) => one.callId === callId);
  if (call === undefined) throw notWaitingError(callId, waiting);
  if (isExpired(call, at)) throw expiredError(call);
  await session.approvals.decide(call, { ...decisionContent(deps, call, verdict), by: "user", at });
  return resumeDecided(deps, callId);
}

type DecisionContent = Pick<ApprovalDecision, "verdict" | "reason" | "arguments">;

function decisionContent(
  deps: Pick<AgentDeps, "session" | "tools">,
  waiting: ApprovalRecord,
  decision: Verdict,
): DecisionContent {
  if (decision.verdict === "denied") {
    const reason = decision.reason?.trim() ?? "";
    return { verdict: "denied", reason: reason === "" ? null : reason, arguments: null };
  }
  const { arguments: given } = decision;
  const edited = given === undefined ? null : validArguments(deps, waiting.toolName, given);
  return { verdict: "approved", reason: null, arguments: edited };
}

function validArguments(
  { tools, session }: Pick<AgentDeps, "session" | "tools">,
  toolName: string,
  given: Readonly<Record<string, unknown>>,
): string {
  const tool = tools.of(session.memory).find(({ name }) => name === toolName);
  if (tool === undefined) {
    throw new RequestError(
      "input_invalid",
      `The agent was opened without the tool ${toolName}, so new arguments for it cannot be checked. Deny the call, or open the agent with its tools.`,
    );
  }
  try {
    tool.parameters.parse(given);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new RequestError("input_invalid", `The call still waits for approval. ${error.message}`, { cause: error });
  }
  return JSON.stringify(given);
}

function notWaitingError(callId: string, waiting: readonly ApprovalRecord[]): RequestError {
  const names = waiting.map((call) => `${call.callId} (${call.toolName})`).join(", ");
  const waits = waiting.length === 0 ? "none does" : `${names} ${waiting.length === 1 ? "does" : "do"}`;
  return new RequestError(
    "approval_not_found",
    `No call ${callId} waits for approval in this conversation; ${waits}. Nothing was decided.`,
  );
}

function expiredError({ toolName, expiresAt }: ApprovalRecord): RequestError {
  return new RequestError(
    "approval_not_found",
    `The approval request for this call of ${toolName} expired at ${expiresAt?.toISOString()}, so the call counts as denied. Resume the turn to continue.`,
  );
}
