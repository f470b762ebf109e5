// Waits for the right to step a conversation, behind those who asked before.
// Invariant: an input that waits stands in the store's queue, so it survives its sender; one whose sender gives up is withdrawn.
import { systemClock } from "../../base/clock.ts";
import { RequestError } from "../../errors.ts";
import type { LeaseOutcome, QueuedInput } from "../../memory/turn-store.ts";
import type { AgentEvent } from "../events.ts";
import type { AgentDeps } from "../turn.ts";

export interface LeaseRequest {
  /** How long to wait, in milliseconds. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** What waits; without it, all that wait go first. */
  readonly input?: QueuedInput;
  /** The turn that is to begin, for its events. */
  readonly turnId: string;
}

// The database's clock judges leases and waiting senders, so real time is waited here, whatever clock the agent has.
const FIRST_PAUSE_MS = 20;
/** The longest between two questions: for whoever comes next, and for those behind. */
const NEXT_PAUSE_MS = 60;
const LONGEST_PAUSE_MS = 250;

type Busy = Extract<LeaseOutcome, { type: "busy" }>;

/**
 * Comes back with the lease held and the session up to date. Throws RequestError `agent_busy` when it took too long,
 * `input_adopted` when somebody else took the input up, or the signal's reason.
 */
export async function* awaitLease(
  deps: Pick<AgentDeps, "agent" | "conversationId" | "store" | "session">,
  request: LeaseRequest,
): AsyncGenerator<AgentEvent, void> {
  const { session, store, conversationId } = deps;
  const first = await session.take();
  if (first.type !== "busy") return;
  yield queuedEvent(deps, request.turnId, first);
  const { input } = request;
  if (input === undefined) return await waitInLine(deps, request, first);
  await store.inputs.enqueue(conversationId, input);
  try {
    await waitInLine(deps, request, first);
  } catch (error) {
    if (!(await store.inputs.withdraw(conversationId, input.idempotencyKey))) throw adopted();
    throw error;
  }
}

async function waitInLine({ session }: Pick<AgentDeps, "session">, request: LeaseRequest, first: Busy): Promise<void> {
  const { signal, waitMs, input } = request;
  const begun = Date.now();
  let busy = first;
  for (let pause = FIRST_PAUSE_MS; Date.now() - begun < waitMs; pause *= 1.5) {
    await systemClock.sleep(Math.min(pause, busy.ahead === 0 ? NEXT_PAUSE_MS : LONGEST_PAUSE_MS, waitMs), signal);
    const outcome = await session.take(input?.idempotencyKey);
    if (outcome.type === "taken") return;
    if (outcome.type === "adopted") throw adopted();
    busy = outcome;
  }
  throw busyError(busy, waitMs);
}

function queuedEvent(
  deps: Pick<AgentDeps, "agent" | "conversationId">,
  turnId: string,
  { holder, ahead }: Busy,
): AgentEvent {
  const { agent, conversationId } = deps;
  return { agentId: agent.id, conversationId, turnId, sequence: 0, type: "turn-queued", holder, ahead };
}

function busyError({ holder, ahead }: Busy, waitMs: number): RequestError {
  const who =
    holder === null ? `${ahead} message(s) sent before this one wait for their turn` : `${holder} is stepping it`;
  return new RequestError(
    "agent_busy",
    `The conversation is busy: ${who}. Waited ${waitMs / 1000} s; nothing was written. Try again, wait longer (--wait), or start another conversation.`,
  );
}

function adopted(): RequestError {
  return new RequestError(
    "input_adopted",
    "This process stood still for so long that another one took the message up: it is in the conversation, and answered there.",
  );
}
