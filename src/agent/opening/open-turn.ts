// Prepares a conversation for a turn: takes the lease, finishes the previous turn's calls and commits the input, a message or
// an event of the runtime.
// Invariant: the input is committed once, after all earlier inputs, and before any model is called. No event is appended while
// a call waits for approval.
import { findOpenCalls, isInput } from "../approval/open-calls.ts";
import { RequestError } from "../../base/errors.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import {
  type InputMessage,
  inputRepeated,
  noTerms,
  type QueuedInput,
  queueKeyOf,
} from "../../store/port/turn-store.ts";
import type { RevertMode } from "../agent.ts";
import { awaitLease, type LeaseRequest } from "../lease/await-lease.ts";
import { answerCalls, type ReceivedResult, decideCall, type Verdict } from "../approval/answer-calls.ts";
import { waitingCalls, approvalPending, findResumePoint, nothingToResume, settleOpenCalls } from "./recover.ts";
import type { AgentEvent } from "../events.ts";
import { requireLast, switchTo } from "../branching/edit-reply.ts";
import type { TurnOpening } from "../run-turn.ts";
import { endTurn } from "../turn-journal.ts";
import type { AgentDeps } from "../turn.ts";
import type { CallResult } from "../turn-options.ts";
import type { RaisedEvent } from "../protocol/protocol.ts";
import type { MessageLocation } from "../../store/port/conversation-store.ts";
import type { ThreadMove } from "../branching/move-thread.ts";

type Opening = AsyncGenerator<AgentEvent, TurnOpening>;

/**
 * Opens a turn for a new input. If the lease is free, the commit of the input also takes it. For an agent that was kept
 * open, returns null instead of waiting: the agent must be opened again.
 */
export async function* openTurn(
  deps: AgentDeps,
  request: LeaseRequest & { readonly input: QueuedInput },
): AsyncGenerator<AgentEvent, TurnOpening | null> {
  const { agent, session, store, conversationId, times, kept: expected } = deps;
  const { turnId, input, terms = noTerms, afterMessage } = request;
  request.signal.throwIfAborted();
  if (afterMessage !== undefined) return expected === undefined ? openTurnAfter(deps, request, afterMessage) : null;
  if (request.isQueued !== true && findOpenCalls(session.messages) === null) {
    const begun = await session.begin({ turnId, inputs: input.messages, terms, expected });
    if (begun !== null) return { input: begun, isNew: true };
  }
  if (expected !== undefined) return null;
  yield* awaitLease(deps, request);
  try {
    return await commitInputs(deps, request, input.messages);
  } catch (error) {
    // After an error, the caller sends the message again, so the input is withdrawn from the queue. An input of `Agent.start`
    // stays in the queue, unless it is refused: then an end of its turn is stored, for readers of the turn.
    // A failure to withdraw the input is ignored, because it would hide the error.
    if (request.isStarted !== true) await store.inputs.withdraw(conversationId, queueKeyOf(input)).catch(() => false);
    else if (isRefusal(error)) {
      const { code, message } = error;
      const end = { agentId: agent.id, turnId, stopReason: "model-error", error: { code, message } } as const;
      await endTurn(store, session.lease.current, end, times);
    }
    throw error;
  }
}

/**
 * Moves the conversation to an earlier message and commits the input there, under one lease. If the input is refused, moves
 * the conversation back.
 */
async function openTurnAfter(
  deps: AgentDeps,
  { input, ...request }: LeaseRequest & { readonly input: QueuedInput },
  afterMessage: string | null,
): Promise<TurnOpening> {
  // The input is not queued while the lease is awaited, because another process would commit a queued input after the newest
  // message. The turn emits no event before the input is stored.
  for await (const _event of awaitLease(deps, request));
  const { session } = deps;
  const { leafId } = session;
  // This is checked before the move, because the move leaves a waiting call on another branch.
  if (request.onWaiting === "refuse") await requireNoneWaiting(deps);
  await switchTo(deps, afterMessage);
  try {
    return await commitInputs(deps, request, input.messages);
  } catch (error) {
    // A failure to move back is ignored, because it would hide the error.
    const isCommitted = session.messages.at(-1)?.turnId === request.turnId;
    if (!isCommitted) await session.move({ to: leafId, leftBehind: [], memory: "keep" }).catch(() => undefined);
    throw error;
  }
}

/** Reopens an unfinished turn, or opens a turn for queued inputs whose senders are gone. */
export async function* reopenTurn(deps: AgentDeps, request: LeaseRequest): Opening {
  yield* awaitLease(deps, request);
  const waiting = await deps.store.inputs.abandoned(deps.conversationId);
  if (waiting.length > 0) return commitInputs(deps, request, []);
  return findResumePoint(deps);
}

/**
 * Continues one unfinished turn, or begins the turn of a queued input, after the inputs before it. Throws RequestError
 * `nothing_to_resume` for a turn that is over or not the last one, and `turn_abandoned` after too many continuations.
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
    `The turn was continued ${times} times, and each time its process ended before the turn did. It is not continued again: send the message again.`,
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
  /** What happens to the memory edits of the messages that leave the thread. */
  readonly memory: RevertMode;
  readonly lastMessageId: string | null | undefined;
}

/** Opens a turn that regenerates the reply to an earlier message, and removes the later messages from the thread. */
export async function* repeatTurn(
  deps: Pick<AgentDeps, "agent" | "conversationId" | "store" | "session">,
  request: LeaseRequest,
  { from, memory, lastMessageId }: RepeatRequest,
): Opening {
  yield* awaitLease(deps, request);
  const { session } = deps;
  requireLast(session, lastMessageId);
  const messageId = from === "last-input" ? session.messages.findLast(isInput)?.id : from.messageId;
  if (messageId === undefined)
    throw new RequestError(
      "message_not_found",
      "The window contains no user message whose answer can be regenerated. Send a message.",
    );
  const { input, to, leftBehind } = await findRepeatable(deps, messageId);
  // The move records that the turn resumes, because this process may end before the next commit.
  const reopens = { turnId: input.turnId, terms: request.terms ?? noTerms, isContinued: false };
  const reverted = await session.move({ to, leftBehind, memory, reopens });
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

/**
 * Reopens a turn that waits for the reply of another agent, before the turns of all queued inputs. `read` returns the reply
 * and is called while the lease is held. Throws RequestError `nothing_to_resume` if `read` returns null.
 */
export async function* openRepliedTurn(
  deps: AgentDeps,
  request: LeaseRequest,
  read: () => Promise<ReceivedResult | null>,
): Opening {
  yield* awaitLease(deps, { ...request, goesFirst: true });
  const result = await read();
  if (result === null) throw nothingToResume();
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

/** Gives open calls a result. Then commits queued inputs without a sender and, after them, this turn's inputs (`own`). */
async function commitInputs(
  deps: AgentDeps,
  { turnId, signal, onWaiting, terms = noTerms }: LeaseRequest,
  own: readonly InputMessage[],
): Promise<TurnOpening> {
  const { session, store, conversationId } = deps;
  const keys = own.map(({ idempotencyKey }) => idempotencyKey);
  if (findOpenCalls(session.messages) !== null) await requireNew(deps, turnId, keys);
  if (onWaiting === "refuse") await requireNoneWaiting(deps);
  const settled = await settleOpenCalls(deps, signal);
  for (;;) {
    const waiting = await store.inputs.abandoned(conversationId);
    const messages = waiting.flatMap((one) => one.messages);
    const abandoned = messages.filter(({ idempotencyKey }) => !keys.includes(idempotencyKey));
    if (abandoned.length + own.length === 0) return findResumePoint(deps);
    const adopted = waiting.map(queueKeyOf).filter((key) => !keys.includes(key));
    const input = await session.begin({ turnId, inputs: [...abandoned, ...own], terms, adopted });
    // Null: the sender of an adopted input has withdrawn the input meanwhile, so the queue is read again.
    if (input !== null) return { input, isNew: true, settled: { ...settled, recoveredInputs: abandoned.length } };
  }
}

/**
 * Throws RequestError `input_repeated` if an input with one of these keys has begun another turn: the repeated input must not
 * settle that turn's calls.
 */
async function requireNew(
  { store, conversationId }: Pick<AgentDeps, "store" | "conversationId">,
  turnId: string,
  keys: readonly string[],
): Promise<void> {
  const abandoned = (await store.inputs.abandoned(conversationId)).flatMap(({ messages }) => messages);
  for (const key of keys.filter((one) => abandoned.every(({ idempotencyKey }) => idempotencyKey !== one))) {
    const earlier = (await store.events.turnOf(conversationId, key)) ?? turnId;
    if (earlier !== turnId) throw inputRepeated();
  }
}

/** Throws RequestError `approval_pending` if a call waits. */
async function requireNoneWaiting(deps: Pick<AgentDeps, "session" | "clock">): Promise<void> {
  const { session } = deps;
  await session.approvals.load(session.messages);
  const waiting = waitingCalls(deps);
  if (waiting.length > 0) throw approvalPending(waiting);
}

function isRefusal(error: unknown): error is RequestError {
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
  await requireNoneWaiting(deps);
  const settled = await settleOpenCalls(deps, request.signal);
  await session.refreshMemory();
  const event = protocol.raised(raised, { now: clock.now(), timeZone: agent.settings.timeZone });
  await session.append(request.turnId, [{ ...event, kind: "event" }]);
  return { input: session.messages.at(-1) as StoredMessage, isNew: true, settled };
}

interface Repeatable extends Pick<ThreadMove, "to" | "leftBehind"> {
  /** The user message to answer again. */
  readonly input: StoredMessage;
}

/**
 * Returns the user message to answer again, and the messages that leave the thread. Changes nothing. Throws RequestError
 * `message_not_found` for a message that is not on the thread. Throws `message_refused` for a message that is neither
 * an input nor a reply, and for a reply without an input before it. For a raised turn, the event is the input.
 */
async function findRepeatable(
  deps: Pick<AgentDeps, "conversationId" | "store">,
  messageId: string,
): Promise<Repeatable> {
  const { store, conversationId } = deps;
  const place = await store.conversations.place(conversationId, messageId);
  const { message, after } = place;
  if (!place.onThread) {
    const advice = "Switch to its branch first.";
    throw new RequestError("message_not_found", `That message is on another branch of the conversation. ${advice}`);
  }
  if (isInput(message)) return { input: message, to: message.id, leftBehind: after };
  return { input: await inputOf(deps, place), to: message.parentId, leftBehind: [message.id, ...after] };
}

async function inputOf(
  { store, conversationId }: Pick<AgentDeps, "conversationId" | "store">,
  place: MessageLocation,
): Promise<StoredMessage> {
  const { message, inputId } = place;
  if (message.role !== "assistant" || message.kind === "event") {
    const got = message.kind === "event" ? "a runtime event" : "a tool result";
    throw new RequestError("message_refused", `Expected a user message or a reply to regenerate from, got ${got}.`);
  }
  const request = { through: inputId, limit: 1 };
  const [input] = inputId === null ? [] : await store.conversations.path(conversationId, request);
  if (input?.turnId === message.turnId) return input;
  const path = await store.conversations.path(conversationId, { through: message.id, limit: maxTurnMessages });
  const first = path.find(({ turnId }) => turnId === message.turnId);
  // If the turn has no input, its first message is the event that raised it.
  if (first?.role === "user") return first;
  if (input === undefined) throw new RequestError("message_refused", "There is no user message before that reply.");
  return input;
}

/** Maximum messages that are read to find the beginning of a turn. */
const maxTurnMessages = 1000;
