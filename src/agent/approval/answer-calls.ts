// Commits what a waiting call waits for: its result, which the caller or another agent gives, or the user's decision.
// Invariant: an invalid answer is refused before anything is written. The results of one answer are stored together or
// not at all, and each call gets one result; a committed decision is carried out.
import { RequestError, ToolError } from "../../base/errors.ts";
import type { Trust } from "../../base/message/message.ts";
import type { ApprovalRecord, ApprovalDecision } from "../../store/port/approval-store.ts";
import type { AgentEvent } from "../events.ts";
import { resumeAnswered, type ResumePoint, resumeDecided } from "../opening/recover.ts";
import { cutResult, keptOutput } from "../../tool/run-tool-call.ts";
import type { AgentDeps, Turn } from "../turn.ts";
import type { CallResult } from "../turn-options.ts";
import { isExpired } from "./open-calls.ts";

/** The result of a call. `trust`: the trust class of its text, if another agent wrote it. */
export interface ReceivedResult extends CallResult {
  readonly trust?: Trust;
}

export interface AnsweredCall extends ReceivedResult, Pick<ApprovalRecord, "toolName" | "arguments"> {}

/**
 * Commits the results and returns where the turn continues. Throws RequestError `result_not_awaited` or `input_invalid`, with
 * nothing written.
 */
export async function answerCalls(
  { agent, session, tools }: Pick<AgentDeps, "agent" | "session" | "tools">,
  results: readonly ReceivedResult[],
  awaits: "result" | "reply" = "result",
): Promise<ResumePoint & { readonly answered: readonly AnsweredCall[] }> {
  await session.reload();
  const waiting = session.approvals.waiting(session.messages).filter((call) => call.awaits === awaits);
  const offered = tools.of(session.memory);
  const answered = requireAwaited(results, waiting).map(({ printed, ...result }) => {
    const { resultLimit = Infinity } = offered.find(({ name }) => name === result.toolName) ?? {};
    const text = cutResult(result.text, Math.min(agent.settings.toolResultLimit, resultLimit));
    return { ...result, text, ...(printed === undefined ? {} : keptOutput(printed)) };
  });
  const message = session.messages.find(({ id }) => id === waiting[0]?.messageId);
  if (message === undefined) throw new TypeError("Expected the message of a waiting call in the window, got none.");
  await session.commitAnswers(message, answered);
  return { ...resumeAnswered({ session }, message), answered };
}

function requireAwaited(
  results: readonly ReceivedResult[],
  waiting: readonly ApprovalRecord[],
): readonly AnsweredCall[] {
  const ids = results.map(({ callId }) => callId);
  if (ids.length === 0 || new Set(ids).size < ids.length) {
    const got = ids.length === 0 ? "no result" : "two results for one call";
    throw new RequestError("input_invalid", `Expected one result for each call, got ${got}. Nothing was written.`);
  }
  return results.map((result) => {
    const call = waiting.find(({ callId }) => callId === result.callId);
    if (call === undefined) throw notAwaited(result.callId, waiting);
    return { ...result, toolName: call.toolName, arguments: call.arguments };
  });
}

/** Emits the events of the calls and of their results, as if the calls had run in this turn. */
export function* reportAnswered(turn: Pick<Turn, "event">, answered: readonly AnsweredCall[]): Generator<AgentEvent> {
  for (const { callId, toolName: name, arguments: written, status, text, printed } of answered) {
    // The model made this call before this run of the turn began, so its step is 0.
    const call = { step: 0, callId, name };
    yield turn.event({ type: "tool-call", ...call, arguments: written });
    yield turn.event({ type: "tool-result", ...call, status, text, ...(printed === undefined ? {} : { printed }) });
  }
}

function notAwaited(callId: string, waiting: readonly ApprovalRecord[]): RequestError {
  return new RequestError(
    "result_not_awaited",
    `No call ${callId} waits for a result in this conversation. Calls that do: ${whichWait(waiting)}. Nothing was written.`,
  );
}

function whichWait(waiting: readonly ApprovalRecord[]): string {
  return waiting.map((call) => `${call.callId} (${call.toolName})`).join(", ") || "none";
}

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

function decisionContent(
  deps: Pick<AgentDeps, "session" | "tools">,
  waiting: ApprovalRecord,
  decision: Verdict,
): Pick<ApprovalDecision, "verdict" | "reason" | "arguments"> {
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
      `The agent was opened without the tool ${toolName}, so new arguments for it cannot be checked. Deny the call, or open the agent with this tool.`,
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
  return new RequestError(
    "approval_not_found",
    `No call ${callId} waits for approval in this conversation. Calls that do: ${whichWait(waiting)}. Nothing was decided.`,
  );
}

function expiredError({ toolName, expiresAt }: ApprovalRecord): RequestError {
  return new RequestError(
    "approval_not_found",
    `The approval request for this call of ${toolName} expired at ${expiresAt?.toISOString()}, so the call counts as denied. Resume the turn to continue.`,
  );
}
