// Takes up what a turn left undone: broken off by a killed process, an outage or an interruption, or waiting for approval.
// Invariant: a tool that only touches memory is run now, exactly once, since nothing of it was committed; any other that may
// have begun is reported as interrupted, because nobody can know what it did; one that waits for approval has not begun.
import { findOpenCalls, isInput, type OpenCalls, threadEnd } from "../../context/window/unfinished-turn.ts";
import { RequestError } from "../../errors.ts";
import type { ApprovalRecord, StoredMessage } from "../../memory/records.ts";
import { isExpired } from "../approval/call-approvals.ts";
import type { CallingReply } from "../approval/clear-call.ts";
import type { AgentEvent, StopReason } from "../events.ts";
import { runToolCalls } from "../run-tool-calls.ts";
import { type AgentDeps, createTurn, type Turn } from "../turn.ts";

/** What was done about the calls of the turn before, so that a new message can follow. */
export interface Settled {
  /** Calls that were broken off. */
  readonly recoveredCalls: number;
  /** Inputs that nobody had begun with, because their sender was gone. */
  readonly recoveredInputs: number;
  /** The tool whose call waited for approval and was denied by the new message; null when none did. */
  readonly supersededTool: string | null;
}

const nothingSettled: Settled = { recoveredCalls: 0, recoveredInputs: 0, supersededTool: null };

/** Gives every call at the end of the thread its result, because a message of the user's is to follow. */
export async function settleOpenCalls(deps: AgentDeps, signal: AbortSignal): Promise<Settled> {
  const { session } = deps;
  const open = findOpenCalls(session.messages);
  if (open === null) return nothingSettled;
  await session.approvals.load(session.messages);
  const waiting = session.approvals.waitingIn(session.messages);
  if (waiting !== null) await denyUnasked(deps, waiting, "message");
  const turn = createTurn(deps, { turnId: open.message.turnId, signal });
  // Nobody watches: the turn that these events belong to is gone. What comes next tells how many calls there were.
  for await (const _event of runToolCalls(turn, callsOf(open, waiting === null ? "settle" : "leave")));
  return waiting === null
    ? { ...nothingSettled, recoveredCalls: open.calls.length }
    : { ...nothingSettled, supersededTool: waiting.toolName };
}

/** Says what was done about the calls of the turn before. */
export function* reportSettled(turn: Pick<Turn, "event">, settled: Settled): Generator<AgentEvent> {
  const { recoveredCalls, recoveredInputs, supersededTool } = settled;
  if (recoveredCalls > 0) {
    const message =
      `The turn before was broken off in ${recoveredCalls} tool call(s). What only touches memory was done now; ` +
      "for others the model is told that they may or may not have had an effect.";
    yield turn.event({ type: "warning", code: "calls-recovered", message });
  }
  if (recoveredInputs > 0) {
    const message = `${recoveredInputs} message(s) that were waiting when their sender was gone stand before this one and are answered with it.`;
    yield turn.event({ type: "warning", code: "inputs-recovered", message });
  }
  if (supersededTool !== null) {
    const message = `A call of ${supersededTool} waited for approval. It was denied, because a new message was sent instead.`;
    yield turn.event({ type: "warning", code: "approval-superseded", message });
  }
}

/** Whether the last turn was broken off; one that waits for approval was not, until the time for it is over. */
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
      const waiting = session.approvals.waitingIn(session.messages);
      return waiting === null || isExpired(waiting, clock.now());
    }
  }
}

/** Where a turn goes on. */
export interface TakenUp {
  /** The message that the turn answers. */
  readonly input: StoredMessage;
  /** Calls that are still to be run; absent when the model is to be called next. */
  readonly calls?: CallingReply;
}

/** Reads where the thread stands and what comes next. Throws RequestError `nothing_to_resume` or `approval_pending`. */
export async function takeUpTurn(deps: Pick<AgentDeps, "agent" | "session" | "protocol" | "clock">): Promise<TakenUp> {
  const { session, clock } = deps;
  await session.reload();
  const waiting = session.approvals.waitingIn(session.messages);
  if (waiting !== null && !isExpired(waiting, clock.now())) throw stillWaiting(waiting);
  if (!isUnfinished(deps)) throw nothingToResume();
  if (waiting !== null) await denyUnasked(deps, waiting, "timeout");
  const open = findOpenCalls(session.messages);
  const input = session.messages.findLast(isInput) ?? open?.message;
  if (input === undefined) throw nothingToResume();
  if (open !== null) return { input, calls: callsOf(open, waiting === null ? "again" : "now") };
  await followCalls(deps, input.turnId);
  return { input };
}

/** The calls that a decision has set free. None of them was begun before. */
export function takeUpDecided({ session }: Pick<AgentDeps, "session">): TakenUp {
  const open = findOpenCalls(session.messages);
  if (open === null) throw nothingToResume();
  return { input: session.messages.findLast(isInput) ?? open.message, calls: callsOf(open, "now") };
}

/** Runs calls that were left from before. Returns what they showed; `stopReason` is null when the model is to be called next. */
export async function* runOpenCalls(
  turn: Turn,
  calls: CallingReply,
): AsyncGenerator<AgentEvent, { readonly shown: string[]; readonly stopReason: StopReason | null }> {
  const end = yield* runToolCalls(turn, calls);
  const shown = end.shown === "" ? [] : [end.shown];
  if (end.waits) return { shown, stopReason: "awaiting-approval" };
  if (turn.signal.aborted) return { shown, stopReason: "interrupted" };
  const continues = await followCalls(turn, calls.message.turnId);
  return { shown, stopReason: continues ? null : "end-turn" };
}

// Step 0: they belong to no model call of this turn.
function callsOf(open: OpenCalls, manner: CallingReply["manner"]): CallingReply {
  return { ...open, step: 0, cut: true, manner };
}

/** Tells the model what the protocol says after calls, unless that was done. Returns whether it is called next. */
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

async function denyUnasked(
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
  return new RequestError("nothing_to_resume", "The last turn of this conversation came to its end: send a message.");
}

export function stillWaiting({ toolName, callId }: ApprovalRecord): RequestError {
  return new RequestError(
    "approval_pending",
    `The turn waits for approval of a call of ${toolName}: approve or deny ${callId}, or send another message, which denies it.`,
  );
}
