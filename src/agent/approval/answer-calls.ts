// Commits the results of calls that the caller ran or another agent answered, and reports the calls and results.
// Invariant: the results of one answer are stored together or not at all, and each call gets one result.
import { RequestError } from "../../base/errors.ts";
import type { Trust } from "../../base/message/message.ts";
import type { ApprovalRecord } from "../../store/port/approval-store.ts";
import type { AgentEvent } from "../events.ts";
import { resumeAnswered, type ResumePoint } from "../opening/recover.ts";
import { cutResult, keptOutput } from "../../tool/run-tool-call.ts";
import type { AgentDeps, Turn } from "../turn.ts";
import type { CallResult } from "../turn-options.ts";

/** The result of a call. `trust`: the trust class of its text, if another agent wrote it. */
export interface ReceivedResult extends CallResult {
  readonly trust?: Trust;
}

export interface AnsweredCall extends ReceivedResult, Pick<ApprovalRecord, "toolName" | "arguments"> {}

export interface AnswerPoint extends ResumePoint {
  readonly answered: readonly AnsweredCall[];
}

/**
 * Commits the results and returns where the turn continues. Throws RequestError `result_not_awaited` or `input_invalid`, with
 * nothing written.
 */
export async function answerCalls(
  { agent, session, tools }: Pick<AgentDeps, "agent" | "session" | "tools">,
  results: readonly ReceivedResult[],
  awaits: "result" | "reply" = "result",
): Promise<AnswerPoint> {
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

/** Emits the calls and their results, as if they had run in the turn. */
export function* reportAnswered(turn: Pick<Turn, "event">, answered: readonly AnsweredCall[]): Generator<AgentEvent> {
  for (const { callId, toolName: name, arguments: written, status, text, printed } of answered) {
    // The call belongs to no model call of this turn: its step is 0.
    const call = { step: 0, callId, name };
    yield turn.event({ type: "tool-call", ...call, arguments: written });
    yield turn.event({ type: "tool-result", ...call, status, text, ...(printed === undefined ? {} : { printed }) });
  }
}

function notAwaited(callId: string, waiting: readonly ApprovalRecord[]): RequestError {
  const names = waiting.map((call) => `${call.callId} (${call.toolName})`).join(", ");
  const waits = waiting.length === 0 ? "none does" : `${names} ${waiting.length === 1 ? "does" : "do"}`;
  return new RequestError(
    "result_not_awaited",
    `No call ${callId} waits for a result in this conversation; ${waits}. Nothing was written.`,
  );
}
