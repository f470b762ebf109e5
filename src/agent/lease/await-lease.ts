// Waits for the lease of a conversation, behind earlier inputs.
// Invariant: a waiting input is in the store's queue, so it survives its process; if its sender gives up, the input is
// withdrawn.
import { systemClock } from "../../base/clock.ts";
import { RequestError } from "../../base/errors.ts";
import {
  type Call,
  type LeaseOutcome,
  type QueuedInput,
  queueKeyOf,
  type TurnTerms,
} from "../../store/port/turn-store.ts";
import type { AgentEvent } from "../events.ts";
import type { AgentDeps } from "../turn.ts";
import type { LeaseClaim } from "./held-lease.ts";

export interface LeaseRequest {
  /** Maximum wait in milliseconds. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** The input that waits in the queue. Without an input, the lease is taken once the queue is empty. */
  readonly input?: QueuedInput;
  /** Whether the input is already in the queue. Default false. */
  readonly isQueued?: boolean;
  /** Whether the input stays in the queue after an error, because its sender does not wait for the turn. Default false. */
  readonly isStarted?: boolean;
  /** Whether this request comes before all queued inputs. Default false. */
  readonly goesFirst?: boolean;
  /** The options and other data that are stored with the turn when it begins. */
  readonly terms?: TurnTerms;
  /** What the input does to calls of the last turn that still wait: supersedes them, or is refused. Default `supersede`. */
  readonly onWaiting?: "supersede" | "refuse";
  /** The id of the message after which the input is committed; null: before the first one. Default: the newest message. */
  readonly afterMessage?: string | null;
  /** The id of the turn to begin, which the turn's events contain. */
  readonly turnId: string;
}

// The pauses use real time instead of the agent's clock, because leases and queued inputs expire by the database's clock.
const firstPauseMs = 20;
/** Maximum milliseconds between two attempts to take the lease, for the first input in the queue and for those behind it. */
const maxNextPauseMs = 60;
const maxPauseMs = 250;
/** These maxima apply if the database notifies the waiting process: an attempt then only shows that it still waits. */
const maxNextCalledPauseMs = 1000;
const maxCalledPauseMs = 2000;

type Busy = Extract<LeaseOutcome, { type: "busy" }>;

/**
 * Returns when the lease is held and the session is up to date. Throws RequestError `agent_busy` after `waitMs`,
 * `input_taken_over` if another process took over the input, `input_forgotten` if a forgetting withdrew it, or the signal's
 * reason.
 */
export async function* awaitLease(
  deps: Pick<AgentDeps, "agent" | "conversationId" | "store" | "session">,
  request: LeaseRequest,
): AsyncGenerator<AgentEvent, void> {
  const { store, conversationId } = deps;
  const { input, turnId, terms, isQueued = false } = request;
  const key = input === undefined ? undefined : queueKeyOf(input);
  const first = await takeLease(deps, request, isQueued ? key : undefined);
  if (first.type === "taken") return;
  if (input !== undefined && !isQueued)
    await store.inputs.enqueue(conversationId, { ...input, turnId, ...(terms === undefined ? {} : { terms }) });
  const call = key === undefined ? null : store.inputs.listen(conversationId, key);
  try {
    if (!isQueued) yield queuedEvent(deps, turnId, first);
    await waitInLine(deps, request, { first, call });
  } catch (error) {
    await withdraw(deps, request);
    throw error;
  } finally {
    call?.end();
  }
}

type WaitingDeps = Pick<AgentDeps, "conversationId" | "store" | "session">;

/**
 * Tries to take the lease with the key of the queued input, if any, and returns the outcome. Throws RequestError
 * `input_taken_over` or `input_forgotten`, or the signal's reason if the signal was aborted meanwhile.
 */
async function takeLease(
  deps: WaitingDeps,
  { signal, goesFirst = false }: LeaseRequest,
  key: string | undefined,
): Promise<Exclude<LeaseOutcome, { readonly type: "adopted" }>> {
  const claim: LeaseClaim = { goesFirst, ...(key === undefined ? {} : { idempotencyKey: key }) };
  const outcome = await deps.session.take(claim);
  if (outcome.type === "adopted") throw await notWaitingError(deps, key ?? "");
  signal.throwIfAborted();
  return outcome;
}

/**
 * Withdraws the input, unless `isStarted`. Throws RequestError `input_taken_over`, `input_forgotten` or
 * `conversation_not_found` if the input no longer waits.
 */
async function withdraw(
  deps: Pick<AgentDeps, "conversationId" | "store">,
  { input, isStarted = false }: LeaseRequest,
): Promise<void> {
  if (input === undefined || isStarted) return;
  const key = queueKeyOf(input);
  if (!(await deps.store.inputs.withdraw(deps.conversationId, key))) throw await notWaitingError(deps, key);
}

async function waitInLine(
  deps: WaitingDeps,
  request: LeaseRequest,
  { first, call }: { readonly first: Busy; readonly call: Call | null },
): Promise<void> {
  const { signal, waitMs, input } = request;
  const begun = Date.now();
  const key = input === undefined ? undefined : queueKeyOf(input);
  let busy = first;
  // The first pause is always short: the lease may have been released before the input was queued.
  for (let pause = firstPauseMs; Date.now() - begun < waitMs; pause = pauseAfter(pause, busy, call)) {
    await (call ?? systemSleep).wait(Math.min(pause, waitMs), signal);
    const outcome = await takeLease(deps, request, key);
    if (outcome.type === "taken") return;
    busy = outcome;
  }
  throw busyError(busy, waitMs);
}

const systemSleep = {
  wait: (ms: number, signal: AbortSignal): Promise<void> => systemClock.sleep(ms, signal),
};

function pauseAfter(pause: number, { ahead }: Busy, call: Call | null): number {
  if (call?.isLive === true) return ahead === 0 ? maxNextCalledPauseMs : maxCalledPauseMs;
  return Math.min(pause * 1.5, ahead === 0 ? maxNextPauseMs : maxPauseMs);
}

export function queuedEvent(
  deps: Pick<AgentDeps, "agent" | "conversationId">,
  turnId: string,
  { holder, ahead }: Pick<Busy, "holder" | "ahead">,
): AgentEvent {
  const { agent, conversationId } = deps;
  return { agentId: agent.id, conversationId, turnId, sequence: 0, type: "turn-queued", holder, ahead };
}

function busyError({ holder, ahead }: Busy, waitMs: number): RequestError {
  const reason =
    holder === null ? `${ahead} message(s) sent before this one wait for their turn` : `${holder} runs a turn in it`;
  return new RequestError(
    "agent_busy",
    `The conversation is busy: ${reason}. Waited ${waitMs / 1000} s; nothing was written. Try again, wait longer (\`waitMs\`), or start another conversation.`,
  );
}

/** Returns the error for an input that no longer waits. While its conversation exists, only a forgetting deletes its row. */
async function notWaitingError(
  { store, conversationId }: Pick<AgentDeps, "conversationId" | "store">,
  key: string,
): Promise<RequestError> {
  if ((await store.events.turnOf(conversationId, key)) !== null)
    return new RequestError(
      "input_taken_over",
      "This process was suspended for so long that another process took over the message. That process answers it in the conversation.",
    );
  if ((await store.conversations.find(conversationId)) === null)
    return new RequestError(
      "conversation_not_found",
      `The conversation ${conversationId} was deleted while the message waited for its turn. Nothing was written.`,
    );
  return new RequestError(
    "input_forgotten",
    "A text in the message was forgotten while the message waited for its turn. Nothing was written.",
  );
}
