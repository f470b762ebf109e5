// Prepares a conversation for a turn: takes the lease, finishes the previous turn's calls and commits the input, a message or
// an event of the runtime.
// Invariant: the input is committed once, after all earlier inputs, and before any model is called. No event is appended while
// a call waits for approval.
import { findOpenCalls, isInput } from "../../context/window/unfinished-turn.ts";
import { RequestError } from "../../base/errors.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import { type InputMessage, noTerms, type QueuedInput, queueKeyOf } from "../../store/port/turn-store.ts";
import type { RevertMode } from "../agent.ts";
import { awaitLease, type LeaseRequest } from "../lease/await-lease.ts";
import { answerCalls, type ReceivedResult } from "../approval/answer-calls.ts";
import { decideCall, type Verdict } from "../approval/decide-call.ts";
import { waitingCalls, approvalPending, findResumePoint, nothingToResume, settleOpenCalls } from "./recover.ts";
import type { AgentEvent } from "../events.ts";
import { findRepeatable } from "../branching/find-repeatable.ts";
import type { TurnOpening } from "../run-turn.ts";
import type { AgentDeps } from "../turn.ts";
import type { CallResult } from "../turn-options.ts";
import type { RaisedEvent } from "../protocol/protocol.ts";

type Opening = AsyncGenerator<AgentEvent, TurnOpening>;

/**
 * Opens a turn for a new input. The commit of the input also takes the lease if it is free. For a kept agent, returns
 * null if nothing could be written.
 */
export async function* openTurn(
  deps: AgentDeps,
  request: LeaseRequest & { readonly input: QueuedInput },
): AsyncGenerator<AgentEvent, TurnOpening | null> {
  const { session, store, conversationId, kept: expected } = deps;
  const { turnId, input, terms = noTerms } = request;
  request.signal.throwIfAborted();
  if (request.isQueued !== true && findOpenCalls(session.messages) === null) {
    const begun = await session.begin({ turnId, inputs: input.messages, terms, expected });
    if (begun !== null) return { input: begun, isNew: true };
  }
  if (expected !== undefined) return null;
  yield* awaitLease(deps, request);
  try {
    return await commitInputs(deps, request, input.messages);
  } catch (error) {
    // After an error, the caller sends the message again, so the input must leave the queue. A started input leaves the
    // queue only if it is refused. A failure to withdraw is ignored, because it would hide the error.
    if (request.isStarted !== true || isRefusal(error))
      await store.inputs.withdraw(conversationId, queueKeyOf(input)).catch(() => false);
    throw error;
  }
}

/** Reopens an unfinished turn, or opens a turn for abandoned inputs in the queue. */
export async function* reopenTurn(deps: AgentDeps, request: LeaseRequest): Opening {
  yield* awaitLease(deps, request);
  const waiting = await deps.store.inputs.abandoned(deps.conversationId);
  if (waiting.length > 0) return commitInputs(deps, request, []);
  return findResumePoint(deps);
}

/**
 * Continues one unfinished turn, or begins the turn of a queued input, after the inputs before it. Throws
 * RequestError `nothing_to_resume` for a turn that is over or that another turn has followed, and `turn_abandoned`.
 */
export async function* continueTurn(
  deps: AgentDeps,
  request: LeaseRequest,
  turnId: string,
): AsyncGenerator<AgentEvent, TurnOpening | null> {
  const { session, store, conversationId } = deps;
  const input = await store.unfinishedTurns.input(conversationId, turnId);
  if (input !== null) return yield* openTurn(deps, { ...request, turnId, input, isQueued: true, isStarted: true });
  yield* awaitLease(deps, { ...request, goesFirst: true });
  const asked = await store.unfinishedTurns.find(turnId);
  if (session.messages.at(-1)?.turnId !== turnId) throw nothingToResume();
  if (asked !== null && asked.continued >= maxContinued) throw abandoned(asked.continued);
  return findResumePoint(deps);
}

/** Maximum number of continuations of a turn after its process has ended. */
const maxContinued = 5;

function abandoned(times: number): RequestError {
  return new RequestError(
    "turn_abandoned",
    `The turn was continued ${times} times, and its process ended each time. It is not continued again: send the message again.`,
  );
}

/** Reopens a turn that waits for the user's decision about a call. */
export async function* openDecidedTurn(
  deps: AgentDeps,
  request: LeaseRequest,
  { callId, verdict }: { readonly callId: string; readonly verdict: Verdict },
): Opening {
  yield* awaitLease(deps, request);
  return decideCall(deps, callId, verdict);
}

/** A request to regenerate from the last input in the window, or from a given input or reply. */
export interface RepeatRequest {
  readonly from: "last-input" | { readonly messageId: string };
  /** What happens to the memory edits made since the message. */
  readonly memory: RevertMode;
}

/** Opens a turn that regenerates the reply to an earlier message, and removes the later messages from the thread. */
export async function* repeatTurn(
  deps: Pick<AgentDeps, "agent" | "conversationId" | "store" | "session">,
  request: LeaseRequest,
  { from, memory }: RepeatRequest,
): Opening {
  yield* awaitLease(deps, request);
  const { session } = deps;
  await session.refreshMemory();
  const messageId = from === "last-input" ? session.messages.findLast(isInput)?.id : from.messageId;
  if (messageId === undefined)
    throw new RequestError(
      "message_not_found",
      "The window contains no user message whose answer can be regenerated. Send a message.",
    );
  const { input, to, leftBehind } = await findRepeatable(deps, messageId);
  const reverted = await session.move({ to, leftBehind, memory });
  return { input, isNew: false, reverted };
}

/**
 * Waits until all queued inputs are answered, then opens a turn for the messages that `read` returns. Throws
 * RequestError `nothing_to_resume` if `read` returns none, and `approval_pending` if a call waits.
 */
export async function* openReadTurn(
  deps: AgentDeps,
  request: LeaseRequest,
  read: () => Promise<readonly InputMessage[]>,
): Opening {
  yield* awaitLease(deps, request);
  const messages = await read();
  if (messages.length === 0) throw nothingToResume();
  return commitInputs(deps, { ...request, onWaiting: "refuse" }, messages);
}

/** Reopens a turn that waits for the reply of another agent, before the turns of all queued inputs. */
export async function* openRepliedTurn(deps: AgentDeps, request: LeaseRequest, result: ReceivedResult): Opening {
  yield* awaitLease(deps, { ...request, goesFirst: true });
  return answerCalls(deps, [result], "reply");
}

/** Reopens a turn that waits for results of the caller. */
export async function* openAnsweredTurn(
  deps: AgentDeps,
  request: LeaseRequest,
  results: readonly CallResult[],
): Opening {
  yield* awaitLease(deps, request);
  return answerCalls(deps, results);
}

/** Gives each open call a result, then commits abandoned inputs and, after them, `own`: the inputs of this turn. */
async function commitInputs(
  deps: AgentDeps,
  { turnId, signal, onWaiting, terms = noTerms }: LeaseRequest,
  own: readonly InputMessage[],
): Promise<TurnOpening> {
  const { session, store, conversationId } = deps;
  if (onWaiting === "refuse") await requireNoneWaiting(deps);
  const settled = await settleOpenCalls(deps, signal);
  const keys = own.map(({ idempotencyKey }) => idempotencyKey);
  const waiting = (await store.inputs.abandoned(conversationId)).flatMap(({ messages }) => messages);
  const abandoned = waiting.filter(({ idempotencyKey }) => !keys.includes(idempotencyKey));
  const input = await session.begin({ turnId, inputs: [...abandoned, ...own], terms });
  // With the lease held, `begin` returns a message or throws.
  return { input: input as StoredMessage, isNew: true, settled: { ...settled, recoveredInputs: abandoned.length } };
}

/** Throws RequestError `approval_pending` if a call waits. */
async function requireNoneWaiting(deps: Pick<AgentDeps, "session" | "clock">): Promise<void> {
  const { session } = deps;
  await session.approvals.load(session.messages);
  const waiting = waitingCalls(deps);
  if (waiting.length > 0) throw approvalPending(waiting);
}

function isRefusal(error: unknown): boolean {
  return error instanceof RequestError && error.code === "approval_pending";
}

/** Opens a turn for an event that the user raised. Throws RequestError `approval_pending` if a call waits. */
export async function* openRaisedTurn(
  deps: AgentDeps,
  request: LeaseRequest,
  raised: RaisedEvent,
): AsyncGenerator<AgentEvent, TurnOpening> {
  yield* awaitLease(deps, request);
  const { session, protocol, clock, agent } = deps;
  if (findOpenCalls(session.messages) !== null) await session.approvals.load(session.messages);
  const waiting = waitingCalls(deps);
  if (waiting.length > 0) throw approvalPending(waiting);
  const settled = await settleOpenCalls(deps, request.signal);
  await session.refreshMemory();
  const event = protocol.raised(raised, { now: clock.now(), timeZone: agent.settings.timeZone });
  await session.append(request.turnId, [{ ...event, kind: "event" }]);
  return { input: session.messages.at(-1) as StoredMessage, isNew: true, settled };
}
