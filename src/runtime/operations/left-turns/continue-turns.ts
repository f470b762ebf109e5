// Continues the turns that processes have left, of all users, until it is stopped.
// Invariant: leases decide which of several servers continues a turn; at most `maxConversations` are worked on at once, in each the
// turns in their order; a turn that cannot be continued gets an end. No failure ends the work.
import type { Agent } from "../../../agent/agent.ts";
import { type Clock, every } from "../../../base/clock.ts";
import { messageOf } from "../../../base/thrown-values.ts";
import { LimitError, RequestError, StoreError } from "../../../base/errors.ts";
import type { LeftTurn } from "../../../store/port/left-turn-store.ts";
import type { UserRuntime } from "../../runtime.ts";
import { endAfter, endLeftTurn, type EndDeps } from "./end-left-turn.ts";

/** Milliseconds between two looks, and between two renewals of inputs that wait behind a turn that is continued. */
const intervalMs = 5000;

const maxConversations = 8;

export interface ContinueDeps extends EndDeps {
  readonly forUser: (userId: string) => Pick<UserRuntime, "agents">;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/** Returns when the signal is aborted and nothing is worked on. */
export async function continueTurns(deps: ContinueDeps, signal: AbortSignal): Promise<void> {
  const working = new Map<string, Promise<void>>();
  let andHeld = true;
  let reported = "";
  while (!signal.aborted) {
    try {
      const isAll = await begin(deps, { working, andHeld, signal });
      andHeld &&= !isAll;
      reported = "";
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== reported) deps.log(`Turns that were left are not continued at present: ${problem}`);
      reported = problem;
    }
    const wait = deps.clock.sleep(intervalMs, signal).catch(ignoreAbort);
    await (andHeld ? Promise.race([wait, ...working.values()]) : wait);
  }
  await Promise.all(working.values());

  function ignoreAbort(error: unknown): void {
    if (!signal.aborted) throw error;
  }
}

interface Round {
  /** The work by the id of its conversation. */
  readonly working: Map<string, Promise<void>>;
  /** Whether turns count whose lease has not expired: at the start, those of a process that ended before. */
  readonly andHeld: boolean;
  readonly signal: AbortSignal;
}

/** Begins to work on conversations, one of each user before the next. Returns false if some are left for later. */
async function begin(deps: ContinueDeps, { working, andHeld, signal }: Round): Promise<boolean> {
  const waiting: LeftIn[][] = [];
  for (const userId of await deps.store.usersWithLeftTurns(andHeld)) {
    if (signal.aborted) return false;
    const left = await deps.store.as(userId).leftTurns.list(null);
    waiting.push(conversationsOf(userId, left).filter(({ conversationId }) => !working.has(conversationId)));
  }
  while (working.size < maxConversations && !signal.aborted) {
    const next = waiting.shift();
    if (next === undefined) return true;
    const [place, ...others] = next;
    if (place === undefined) continue;
    const { conversationId } = place;
    const work = workOn(deps, place, signal).finally(() => working.delete(conversationId));
    working.set(conversationId, work);
    waiting.push(others);
  }
  return waiting.every(({ length }) => length === 0);
}

interface LeftIn {
  readonly userId: string;
  readonly conversationId: string;
}

function conversationsOf(userId: string, left: readonly LeftTurn[]): LeftIn[] {
  return [...new Set(left.map(({ conversationId }) => conversationId))].map((conversationId) => ({
    userId,
    conversationId,
  }));
}

/** Continues what is left in a conversation, one turn after the other. */
async function workOn(deps: ContinueDeps, { userId, conversationId }: LeftIn, signal: AbortSignal): Promise<void> {
  const { leftTurns } = deps.store.as(userId);
  const stopKeeping = every(intervalMs, () => leftTurns.keepInputs(conversationId));
  let done: string | null = null;
  try {
    while (!signal.aborted) {
      const [next] = await leftTurns.list(conversationId);
      if (next === undefined || next.turnId === done || !(await continueOne(deps, { userId, turn: next, signal })))
        return;
      done = next.turnId;
    }
  } catch (error) {
    deps.log(`The turns that were left in conversation ${conversationId} are not continued: ${messageOf(error)}`);
  } finally {
    stopKeeping();
  }
}

interface OneTurn {
  readonly userId: string;
  readonly turn: LeftTurn;
  readonly signal: AbortSignal;
}

/** Runs a turn to its end, or gives it one. Returns false if that is to be tried later. */
async function continueOne(deps: ContinueDeps, { userId, turn, signal }: OneTurn): Promise<boolean> {
  const { turnId, agentId, conversationId, isQueued } = turn;
  let agent: Agent | null = null;
  try {
    agent = await deps.forUser(userId).agents.open(agentId, { conversation: { id: conversationId } });
    // A queued input waits for its place; what was left goes on now, or another process has it.
    for await (const _event of agent.resume({ turnId, waitMs: isQueued ? Infinity : 0 }));
    return true;
  } catch (error) {
    if (signal.aborted || isForLater(error)) return false;
    const end = endAfter(error, turnId, agent);
    if (end.error !== undefined)
      deps.log(`Turn ${turnId} was left and is not continued (${end.error.code}): ${messageOf(error)}`);
    return endLeftTurn(deps, userId, { turn, end });
  }
}

const later: ReadonlySet<string> = new Set([
  "agent_busy",
  "input_taken_over",
  "lease_lost",
  "runtime_closing",
  // Its turns are no longer listed.
  "agent_not_found",
  "conversation_not_found",
  "grant_ended",
]);

/** Whether the turn goes on in another process, or can be continued when something has changed. */
function isForLater(error: unknown): boolean {
  if (error instanceof LimitError) return error.limit === "concurrent-turns";
  return error instanceof StoreError || (error instanceof RequestError && later.has(error.code));
}
