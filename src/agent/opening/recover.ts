// Continues a turn that was interrupted by a killed process, an outage or the user, or that waits for approval, a result or a
// reply; and finds the calls that an open conversation waits for.
// Invariant: a call that only edits memory runs again, because its first run committed nothing. Any other call that may
// have started gets the result "interrupted", because its effects are unknown. A call that waits for approval has not
// started. It counts as denied after the approval's time-out.
import { findOpenCalls, isExpired, isInput, type OpenCalls, threadEnd } from "../approval/open-calls.ts";
import { RequestError } from "../../base/errors.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import type { ApprovalRecord } from "../../store/port/approval-store.ts";
import { isAnswer, type ReplyWithCalls } from "../approval/clear-call.ts";
import { textOf } from "../../base/message/message.ts";
import type { AgentEvent, StopReason } from "../events.ts";
import type { FollowUp } from "../protocol/protocol.ts";
import { endOfStep } from "../rules/turn-rules.ts";
import { runToolCalls } from "../run-tool-calls.ts";
import { createTurnJournal } from "../turn-journal.ts";
import { type AgentDeps, createTurn, throwIfHandedOver, type Turn } from "../turn.ts";

/** What was done about calls of the previous turn and about queued inputs, before the new message. */
export interface Settled {
  readonly recoveredCalls: number;
  /** Number of queued inputs whose senders were gone before their turn began. */
  readonly recoveredInputs: number;
  /** The tools whose calls waited until the new message superseded them. */
  readonly supersededTools: readonly string[];
}

const nothingSettled: Settled = { recoveredCalls: 0, recoveredInputs: 0, supersededTools: [] };

/** Gives every open call at the end of the thread a result, so that a user message can follow. */
export async function settleOpenCalls(deps: AgentDeps, signal: AbortSignal): Promise<Settled> {
  const { session } = deps;
  const open = findOpenCalls(session.messages);
  if (open === null) return nothingSettled;
  await session.approvals.load(session.messages);
  const waiting = session.approvals.waiting(session.messages);
  for (const call of waiting) await denyWaiting(deps, call, "message");
  const { turnId } = open.message;
  // Events of these calls are dropped, because their turn is over. The next turn reports the number of the calls.
  const journal = createTurnJournal({ ...deps, agentId: deps.agent.id, turnId }, { after: 0, isKept: false });
  // These limits have no effect, because no model is called.
  const limits = { budget: null, maxSteps: 0 };
  const turn = createTurn(deps, { turnId, signal, journal, limits, retrieval: null });
  for await (const _event of runToolCalls(turn, callsOf(open, "settle")));
  const supersededTools = waiting.map(({ toolName }) => toolName);
  return { ...nothingSettled, recoveredCalls: open.calls.length - waiting.length, supersededTools };
}

/** Emits warnings about the recovered and superseded calls, and the recovered inputs. */
export function* reportSettled(turn: Pick<Turn, "event">, settled: Settled): Generator<AgentEvent> {
  const { recoveredCalls, recoveredInputs, supersededTools } = settled;
  if (recoveredCalls > 0) {
    const message =
      `The previous turn was interrupted during ${recoveredCalls} tool call(s). Calls that only edit memory were run now; ` +
      "the results of the other calls say that they may or may not have had an effect.";
    yield turn.event({ type: "warning", code: "calls-recovered", message });
  }
  if (recoveredInputs > 0) {
    const message = `${recoveredInputs} message(s) were still queued when the process that sent them ended. They come before this message and are answered together with it.`;
    yield turn.event({ type: "warning", code: "inputs-recovered", message });
  }
  for (const name of supersededTools) {
    const message = `A waiting call of ${name} was not run, because a new message was sent instead of a decision or a result.`;
    yield turn.event({ type: "warning", code: "approval-superseded", message });
  }
}

/**
 * Returns whether the last turn was interrupted. A turn with waiting calls counts as interrupted only if another of its calls
 * has no result and does not wait, for example because the request for its approval has expired.
 */
export function isUnfinished(deps: FollowDeps): boolean {
  const { session } = deps;
  const end = threadEnd(session.messages);
  switch (end.type) {
    case "empty":
    case "reply":
      return false;
    case "input":
      return true;
    case "calls": {
      const open = findOpenCalls(session.messages);
      return open === null ? followUpOf(deps, end).continues : waitingCalls(deps).length < open.calls.length;
    }
  }
}

/** Where a turn continues. */
export interface ResumePoint {
  /** The message that the turn answers. */
  readonly input: StoredMessage;
  readonly isNew: false;
  /** Calls to run first; absent if the model is called next. */
  readonly calls?: ReplyWithCalls;
}

/**
 * Reloads the thread and returns where its last turn continues. Throws RequestError `nothing_to_resume` or
 * `approval_pending`.
 */
export async function findResumePoint(deps: FollowDeps): Promise<ResumePoint> {
  const { session } = deps;
  await session.reload();
  const open = findOpenCalls(session.messages);
  const pending = waitingCalls(deps);
  if (pending.length > 0 && pending.length === open?.calls.length) throw approvalPending(pending);
  if (!isUnfinished(deps)) throw nothingToResume();
  await denyExpired(deps);
  // Skips results, and events of later turns, which may follow the last input or reply.
  const last = session.messages.findLast((message) => message.role === "assistant" || isInput(message));
  if (last === undefined) throw nothingToResume();
  const input = inputOf(session, last);
  if (open !== null) return { input, isNew: false, calls: callsOf(open, "again") };
  await followCalls(deps, input.turnId);
  return { input, isNew: false };
}

/** Returns where the turn continues after a decision about one of its calls. */
export async function resumeDecided(deps: Pick<AgentDeps, "session" | "clock">, decided: string): Promise<ResumePoint> {
  const { session } = deps;
  await denyExpired(deps);
  const open = findOpenCalls(session.messages);
  if (open === null) throw nothingToResume();
  const calls = { ...callsOf(open, "again"), decided };
  return { input: inputOf(session, open.message), isNew: false, calls };
}

/** Returns where the turn of this message continues after the results of the message's calls were committed. */
export function resumeAnswered({ session }: Pick<AgentDeps, "session">, message: StoredMessage): ResumePoint {
  const calls = findOpenCalls(session.messages)?.calls ?? [];
  return { input: inputOf(session, message), isNew: false, calls: callsOf({ message, calls }, "again") };
}

/** Returns the message that this message's turn answers: the turn's last input, or the event that raised the turn. */
function inputOf({ messages }: Pick<AgentDeps["session"], "messages">, { turnId }: StoredMessage): StoredMessage {
  const own = messages.filter((message) => message.turnId === turnId);
  return own.findLast(isInput) ?? own[0]!;
}

/** Runs open calls. Returns the text that they showed to the user; `stopReason` is null if the model is called next. */
export async function* runOpenCalls(
  turn: Turn,
  calls: ReplyWithCalls,
): AsyncGenerator<AgentEvent, { readonly shown: string[]; readonly stopReason: StopReason | null }> {
  const end = yield* runToolCalls(turn, calls);
  const shown = end.shown === "" ? [] : [end.shown];
  if (end.waits !== null) return { shown, stopReason: end.waits };
  throwIfHandedOver(turn);
  if (turn.signal.aborted) return { shown, stopReason: "interrupted" };
  const { continues, reason = "end-turn" } = await followCalls(turn, calls.message.turnId);
  if (!continues && isAnswer(turn, calls.message)) shown.unshift(textOf(calls.message));
  return { shown, stopReason: continues ? null : reason };
}

// The model made these calls before this run of the turn began, so their step is 0.
function callsOf(open: OpenCalls, manner: ReplyWithCalls["manner"]): ReplyWithCalls {
  return { ...open, step: 0, cut: true, manner };
}

type FollowDeps = Pick<AgentDeps, "agent" | "session" | "protocol" | "clock" | "tools" | "output">;

/** Appends the protocol's events that follow the calls, unless they are already stored. Returns whether the turn goes on. */
async function followCalls(deps: FollowDeps, turnId: string): Promise<FollowUp> {
  const { session } = deps;
  const end = threadEnd(session.messages);
  if (end.type !== "calls") return { continues: true, events: [] };
  const followUp = followUpOf(deps, end);
  const isReported = session.messages.at(-1)?.role === "user";
  if (!isReported)
    await session.append(
      turnId,
      followUp.events.map((draft) => ({ ...draft, kind: "event" as const })),
    );
  return followUp;
}

async function denyExpired(deps: Pick<AgentDeps, "session" | "clock">): Promise<void> {
  const { session, clock } = deps;
  for (const call of session.approvals.waiting(session.messages)) {
    if (isExpired(call, clock.now())) await denyWaiting(deps, call, "timeout");
  }
}

async function denyWaiting(
  { session, clock }: Pick<AgentDeps, "session" | "clock">,
  waiting: ApprovalRecord,
  otherwise: "message" | "timeout",
): Promise<void> {
  // Only a call that waits for approval gets a decision. Other waiting calls only get a result.
  if (waiting.awaits !== "approval") return;
  const at = clock.now();
  const by = isExpired(waiting, at) ? "timeout" : otherwise;
  await session.approvals.decide(waiting, { verdict: "denied", by, reason: null, arguments: null, at });
}

function followUpOf(deps: FollowDeps, end: Extract<ReturnType<typeof threadEnd>, { type: "calls" }>): FollowUp {
  const { protocol, clock, agent, session } = deps;
  const message = session.messages.findLast(({ role }) => role === "assistant");
  const isRuled = agent.settings.toolRules.length > 0 && message !== undefined;
  const answers = message !== undefined && isAnswer(deps, message);
  const ruled = isRuled ? endOfStep(deps, message) : null;
  if (ruled?.exits === true) return { continues: false, events: [], reason: "tool-rule" };
  const demand = ruled === null ? {} : { demand: ruled };
  const step = { calls: end.calls, someCallFailed: end.someFailed, isAnswer: answers, pressure: false, ...demand };
  return protocol.followUp(step, { now: clock.now(), timeZone: agent.settings.timeZone });
}

export function nothingToResume(): RequestError {
  return new RequestError("nothing_to_resume", "The last turn of this conversation is complete: send a message.");
}

/** Returns the error that lists what these calls wait for. Expects at least one call. */
export function approvalPending(waiting: readonly ApprovalRecord[]): RequestError {
  const calls = waiting.map(({ toolName, callId, awaits }) =>
    awaits === "approval"
      ? `approval of a call of ${toolName} (approve or deny ${callId})`
      : awaits === "result"
        ? `the result of a call of ${toolName} (answer ${callId})`
        : `the reply of another agent to a call of ${toolName}`,
  );
  return new RequestError(
    "approval_pending",
    `The turn waits for ${calls.join(" and ")}. Decide or answer, or send another message, which supersedes the waiting calls. Nothing was written.`,
  );
}

/** Returns the calls that wait, in their order. */
export function waitingCalls({ session, clock }: Pick<AgentDeps, "session" | "clock">): readonly ApprovalRecord[] {
  return session.approvals.waiting(session.messages).filter((call) => !isExpired(call, clock.now()));
}

/** Returns the calls that wait for `awaits`: an approval, a result or a reply. */
export function callsAwaiting(
  deps: Pick<AgentDeps, "session" | "clock">,
  awaits: ApprovalRecord["awaits"],
): readonly ApprovalRecord[] {
  return waitingCalls(deps).filter((call) => call.awaits === awaits);
}
