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
  /** The waiting input; without an input, all queued inputs go first. */
  readonly input?: QueuedInput;
  /** Whether the input is already in the queue. Default false. */
  readonly isQueued?: boolean;
  /** Whether the input stays in the queue after an error, because its sender does not wait for the turn. Default false. */
  readonly isStarted?: boolean;
  /** Whether the request goes before all queued inputs. Default false. */
  readonly goesFirst?: boolean;
  /** The data to store with the turn that begins. */
  readonly terms?: TurnTerms;
  /** What a new input does to calls that wait. Default `supersede`. */
  readonly onWaiting?: "supersede" | "refuse";
  /** The id of the turn to begin, for its events. */
  readonly turnId: string;
}

// Leases and queued inputs expire by the database's clock, so the pauses use real time, not the agent's clock.
const firstPauseMs = 20;
/** Maximum pauses between two attempts, in milliseconds: for the next input in the queue, and for the inputs behind it. */
const maxNextPauseMs = 60;
const maxPauseMs = 250;
/** The same maxima if the database wakes senders. A sender still tries, to show the store that it still waits. */
const maxNextCalledPauseMs = 1000;
const maxCalledPauseMs = 2000;

type Busy = Extract<LeaseOutcome, { type: "busy" }>;

/**
 * Returns when the lease is held and the session is up to date. Throws RequestError `agent_busy` after `waitMs`,
 * `input_taken_over` if another process took over the input, or the signal's reason.
 */
export async function* awaitLease(
  deps: Pick<AgentDeps, "agent" | "conversationId" | "store" | "session">,
  request: LeaseRequest,
): AsyncGenerator<AgentEvent, void> {
  const { session, store, conversationId } = deps;
  const { input, turnId, terms, isQueued = false } = request;
  const key = input === undefined ? undefined : queueKeyOf(input);
  const first = await takeLease(session, request.signal, claimOf(request, isQueued ? key : undefined));
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

/**
 * Tries to take the lease, and returns the outcome. Throws RequestError `input_taken_over`, or the signal's reason if the
 * sender gave up meanwhile.
 */
async function takeLease(
  session: AgentDeps["session"],
  signal: AbortSignal,
  claim: LeaseClaim,
): Promise<Exclude<LeaseOutcome, { readonly type: "adopted" }>> {
  const outcome = await session.take(claim);
  if (outcome.type === "adopted") throw adoptedError();
  signal.throwIfAborted();
  return outcome;
}

function claimOf({ goesFirst = false }: LeaseRequest, key: string | undefined): LeaseClaim {
  return { goesFirst, ...(key === undefined ? {} : { idempotencyKey: key }) };
}

/** Withdraws the input, unless `isStarted`. Throws RequestError `input_taken_over` if the input no longer waits. */
async function withdraw(
  { store, conversationId }: Pick<AgentDeps, "conversationId" | "store">,
  { input, isStarted = false }: LeaseRequest,
): Promise<void> {
  if (input === undefined || isStarted) return;
  if (!(await store.inputs.withdraw(conversationId, queueKeyOf(input)))) throw adoptedError();
}

async function waitInLine(
  { session }: Pick<AgentDeps, "session">,
  request: LeaseRequest,
  { first, call }: { readonly first: Busy; readonly call: Call | null },
): Promise<void> {
  const { signal, waitMs, input } = request;
  const begun = Date.now();
  const claim = claimOf(request, input === undefined ? undefined : queueKeyOf(input));
  let busy = first;
  // The first pause is always short: the lease may have been released before the input was queued.
  for (let pause = firstPauseMs; Date.now() - begun < waitMs; pause = pauseAfter(pause, busy, call)) {
    await (call ?? systemSleep).wait(Math.min(pause, waitMs), signal);
    const outcome = await takeLease(session, signal, claim);
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

function adoptedError(): RequestError {
  return new RequestError(
    "input_taken_over",
    "This process was suspended for so long that another process took over the message. It is in the conversation and is answered there.",
  );
}
