// Continues a turn that was interrupted by a killed process, an outage or the user, or that waits for approval.
// Invariant: a tool that only touches memory runs now, exactly once, because nothing of it was committed; any other
// tool that may have started is reported as interrupted, because its effects are unknown; a call that waits for
// approval has not started.
import { findOpenCalls, isInput, type OpenCalls, threadEnd } from "../../context/window/unfinished-turn.ts";
import { RequestError } from "../../errors.ts";
import type { ApprovalRecord, StoredMessage } from "../../memory/records.ts";
import { isExpired } from "../approval/call-approvals.ts";
import type { ReplyWithCalls } from "../approval/clear-call.ts";
import type { AgentEvent, StopReason } from "../events.ts";
import { runToolCalls } from "../run-tool-calls.ts";
import { createTurnJournal } from "../turn-journal.ts";
import { type AgentDeps, createTurn, type Turn } from "../turn.ts";

/** What was done about the previous turn's calls and earlier inputs, so that a new message can follow. */
export interface Settled {
  /** Number of calls that were interrupted. */
  readonly recoveredCalls: number;
  /** Number of queued inputs whose sender had ended before their turn began. */
  readonly recoveredInputs: number;
  /** The tool whose call waited for approval and was denied by the new message; null if none waited. */
  readonly supersededTool: string | null;
}

const nothingSettled: Settled = { recoveredCalls: 0, recoveredInputs: 0, supersededTool: null };

/** Gives every open call at the end of the thread a result, so that a user message can follow. */
export async function settleOpenCalls(deps: AgentDeps, signal: AbortSignal): Promise<Settled> {
  const { session } = deps;
  const open = findOpenCalls(session.messages);
  if (open === null) return nothingSettled;
  await session.approvals.load(session.messages);
  const waiting = session.approvals.findWaiting(session.messages);
  if (waiting !== null) await denyWaiting(deps, waiting, "message");
  const { turnId } = open.message;
  // The turn of these events is over, so they are dropped. The next turn reports the number of calls.
  const journal = createTurnJournal({ ...deps, agentId: deps.agent.id, turnId }, { after: 0, isKept: false });
  const turn = createTurn(deps, { turnId, signal, journal });
  for await (const _event of runToolCalls(turn, callsOf(open, waiting === null ? "settle" : "leave")));
  return waiting === null
    ? { ...nothingSettled, recoveredCalls: open.calls.length }
    : { ...nothingSettled, supersededTool: waiting.toolName };
}

/** Emits warnings about what was done for the previous turn. */
export function* reportSettled(turn: Pick<Turn, "event">, settled: Settled): Generator<AgentEvent> {
  const { recoveredCalls, recoveredInputs, supersededTool } = settled;
  if (recoveredCalls > 0) {
    const message =
      `The previous turn was interrupted during ${recoveredCalls} tool call(s). Calls that only touch memory have run now; ` +
      "for the others, the result says that they may or may not have had an effect.";
    yield turn.event({ type: "warning", code: "calls-recovered", message });
  }
  if (recoveredInputs > 0) {
    const message = `${recoveredInputs} message(s) were still queued when their sender ended. They precede this message and are answered with it.`;
    yield turn.event({ type: "warning", code: "inputs-recovered", message });
  }
  if (supersededTool !== null) {
    const message = `A call of ${supersededTool} waited for approval. It was denied, because a new message was sent instead.`;
    yield turn.event({ type: "warning", code: "approval-superseded", message });
  }
}

/**
 * Returns whether the last turn was interrupted. A turn that waits for approval counts only once the approval has
 * expired.
 */
export function isUnfinished(deps: Pick<AgentDeps, "agent" | "session" | "protocol" | "clock">): boolean {
  const { session, clock } = deps;
  const end = threadEnd(session.messages);
  switch (end.type) {
    case "empty":
    case "reply":
      return false;
    case "input":
      return true;
    case "calls": {
      if (findOpenCalls(session.messages) === null) return followUpOf(deps, end).continues;
      const waiting = session.approvals.findWaiting(session.messages);
      return waiting === null || isExpired(waiting, clock.now());
    }
  }
}

/** Where a turn continues. */
export interface ResumePoint {
  /** The message that the turn answers. */
  readonly input: StoredMessage;
  /** Calls to run first; absent if the model is called next. */
  readonly calls?: ReplyWithCalls;
}

/**
 * Reloads the thread and returns where its last turn continues. Throws RequestError `nothing_to_resume` or
 * `approval_pending`.
 */
export async function findResumePoint(
  deps: Pick<AgentDeps, "agent" | "session" | "protocol" | "clock">,
): Promise<ResumePoint> {
  const { session, clock } = deps;
  await session.reload();
  const waiting = session.approvals.findWaiting(session.messages);
  if (waiting !== null && !isExpired(waiting, clock.now())) throw approvalPending(waiting);
  if (!isUnfinished(deps)) throw nothingToResume();
  if (waiting !== null) await denyWaiting(deps, waiting, "timeout");
  const open = findOpenCalls(session.messages);
  const input = session.messages.findLast(isInput) ?? open?.message;
  if (input === undefined) throw nothingToResume();
  if (open !== null) return { input, calls: callsOf(open, waiting === null ? "again" : "now") };
  await followCalls(deps, input.turnId);
  return { input };
}

/** Returns the calls to run after a decision. None of them has started. */
export function resumeDecided({ session }: Pick<AgentDeps, "session">): ResumePoint {
  const open = findOpenCalls(session.messages);
  if (open === null) throw nothingToResume();
  return { input: session.messages.findLast(isInput) ?? open.message, calls: callsOf(open, "now") };
}

/** Runs open calls. Returns the text they showed; `stopReason` is null if the model is called next. */
export async function* runOpenCalls(
  turn: Turn,
  calls: ReplyWithCalls,
): AsyncGenerator<AgentEvent, { readonly shown: string[]; readonly stopReason: StopReason | null }> {
  const end = yield* runToolCalls(turn, calls);
  const shown = end.shown === "" ? [] : [end.shown];
  if (end.waits) return { shown, stopReason: "awaiting-approval" };
  if (turn.signal.aborted) return { shown, stopReason: "interrupted" };
  const continues = await followCalls(turn, calls.message.turnId);
  return { shown, stopReason: continues ? null : "end-turn" };
}

// Step 0: the calls belong to no model call of this turn.
function callsOf(open: OpenCalls, manner: ReplyWithCalls["manner"]): ReplyWithCalls {
  return { ...open, step: 0, cut: true, manner };
}

/** Appends the protocol's events after calls, unless they are there. Returns whether the model is called next. */
async function followCalls(
  deps: Pick<AgentDeps, "agent" | "session" | "protocol" | "clock">,
  turnId: string,
): Promise<boolean> {
  const { session } = deps;
  const end = threadEnd(session.messages);
  if (end.type !== "calls") return true;
  const { continues, events } = followUpOf(deps, end);
  const isReported = session.messages.at(-1)?.role === "user";
  if (!isReported)
    await session.append(
      turnId,
      events.map((draft) => ({ ...draft, kind: "event" as const })),
    );
  return continues;
}

async function denyWaiting(
  { session, clock }: Pick<AgentDeps, "session" | "clock">,
  waiting: ApprovalRecord,
  otherwise: "message" | "timeout",
): Promise<void> {
  const at = clock.now();
  const by = isExpired(waiting, at) ? "timeout" : otherwise;
  await session.approvals.decide(waiting, { verdict: "denied", by, reason: null, arguments: null, at });
}

function followUpOf(
  { protocol, clock, agent }: Pick<AgentDeps, "agent" | "protocol" | "clock">,
  end: Extract<ReturnType<typeof threadEnd>, { type: "calls" }>,
) {
  const step = { calls: end.calls, someCallFailed: end.someFailed, pressure: false };
  return protocol.followUp(step, { now: clock.now(), timeZone: agent.settings.timeZone });
}

function nothingToResume(): RequestError {
  return new RequestError("nothing_to_resume", "The last turn of this conversation is complete: send a message.");
}

export function approvalPending({ toolName, callId }: ApprovalRecord): RequestError {
  return new RequestError(
    "approval_pending",
    `The turn waits for approval of a call of ${toolName}: approve or deny ${callId}, or send another message, which denies it.`,
  );
}
