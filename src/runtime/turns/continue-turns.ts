// Continues the unfinished turns of all users, until a signal aborts.
// Invariant: the lease decides which of several servers continues a turn. At most `maxConversations` conversations are
// worked on at once, and the turns of each conversation in order. A turn that cannot be continued gets an end, because
// its readers wait for one. The end is written under the lease, so a turn that another process continues or has ended
// does not change. A failure stops no other turn.
import type { Agent } from "../../agent/agent.ts";
import { type Clock, every } from "../../base/clock.ts";
import { messageOf } from "../../base/thrown-values.ts";
import { LimitError, RequestError, StoreError, RuntimeError } from "../../base/errors.ts";
import type { UnfinishedTurn } from "../../store/port/unfinished-turn-store.ts";
import type { UserRuntime } from "../runtime.ts";
import type { WaitReason } from "../../agent/events.ts";
import { endTurn, type WrittenEnd } from "../../agent/turn-journal.ts";
import type { Ids } from "../../base/ids.ts";
import type { Store } from "../../store/port/store.ts";
import type { EventBatch } from "../../store/port/turn-store.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

/** Milliseconds between two polls, and between two renewals of inputs that are queued behind a continued turn. */
const intervalMs = 5000;

const maxConversations = 8;

export interface ContinueDeps extends EndDeps {
  readonly forUser: (userId: string) => Pick<UserRuntime, "agents" | "agentMessages">;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/** Continues turns until the signal is aborted, and then returns when no turn is being continued any more. */
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
      if (problem !== reported) deps.log(`Unfinished turns were not continued and will be tried again: ${problem}`);
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
  /** The work in progress, keyed by the id of its conversation. */
  readonly working: Map<string, Promise<void>>;
  /**
   * Whether turns with an unexpired lease are included: true at first, because the process that holds the lease may
   * have ended.
   */
  readonly andHeld: boolean;
  readonly signal: AbortSignal;
}

/** Begins work on conversations, in rounds of one conversation per user. Returns false if conversations are left. */
async function begin(deps: ContinueDeps, { working, andHeld, signal }: Round): Promise<boolean> {
  const waiting: ConversationPlace[][] = [];
  for (const userId of await deps.store.usersWithUnfinishedTurns(andHeld)) {
    if (signal.aborted) return false;
    await deps.forUser(userId).agentMessages.deliver();
    const left = await deps.store.as(userId).unfinishedTurns.list(null);
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

interface ConversationPlace {
  readonly userId: string;
  readonly conversationId: string;
}

function conversationsOf(userId: string, left: readonly UnfinishedTurn[]): ConversationPlace[] {
  return [...new Set(left.map(({ conversationId }) => conversationId))].map((conversationId) => ({
    userId,
    conversationId,
  }));
}

/** Continues the unfinished turns of a conversation, one after the other. */
async function workOn(
  deps: ContinueDeps,
  { userId, conversationId }: ConversationPlace,
  signal: AbortSignal,
): Promise<void> {
  const { unfinishedTurns } = deps.store.as(userId);
  const stopKeeping = every(intervalMs, () => unfinishedTurns.keepInputs(conversationId));
  let done: string | null = null;
  try {
    while (!signal.aborted) {
      const [next] = await unfinishedTurns.list(conversationId);
      if (next === undefined || next.turnId === done || !(await continueOne(deps, { userId, turn: next, signal })))
        return;
      done = next.turnId;
    }
  } catch (error) {
    deps.log(`The unfinished turns of conversation ${conversationId} are not continued: ${messageOf(error)}`);
  } finally {
    stopKeeping();
  }
}

/** Runs a turn to its end, or writes an end for it. Returns false if the caller must try again later. */
async function continueOne(
  deps: ContinueDeps,
  { userId, turn, signal }: { readonly userId: string; readonly turn: UnfinishedTurn; readonly signal: AbortSignal },
): Promise<boolean> {
  const { turnId, agentId, conversationId, isQueued, isStopped } = turn;
  let agent: Agent | null = null;
  try {
    if (isStopped) return await endUnfinishedTurn(deps, userId, { turn, end: { stopReason: "interrupted" } });
    agent = await deps.forUser(userId).agents.open(agentId, { conversation: { id: conversationId } });
    // A queued input waits until the turns before it have ended. Any other turn continues now, unless another process runs it.
    for await (const _event of agent.resume({ turnId, waitMs: isQueued ? Infinity : 0 }));
    return true;
  } catch (error) {
    if (signal.aborted || isForLater(error)) return false;
    const end = endAfter(error, turn, agent);
    if (end.error !== undefined)
      deps.log(`The unfinished turn ${turnId} is not continued (${end.error.code}): ${messageOf(error)}`);
    return endUnfinishedTurn(deps, userId, { turn, end });
  }
}

const later: ReadonlySet<string> = new Set([
  "agent_busy",
  "input_taken_over",
  "lease_lost",
  "runtime_closing",
  // Turns that fail with these errors are not listed again: the agent, the conversation, the grant or the input no longer exists.
  "agent_not_found",
  "conversation_not_found",
  "grant_ended",
  "input_forgotten",
]);

/** Returns whether the turn continues in another process, or can be continued by this process later. */
function isForLater(error: unknown): boolean {
  if (error instanceof LimitError) return error.limit === "concurrent-turns";
  return error instanceof StoreError || (error instanceof RequestError && later.has(error.code));
}

interface EndDeps {
  readonly store: Store;
  readonly times: Pick<OperationDeps["turnTimes"], "leaseMs" | "keepEventsMs">;
  readonly ids: Ids;
}

type Ending = Omit<WrittenEnd, "agentId" | "turnId">;

/** Returns the end of a turn for which `resume` threw this error. `agent` is null if the agent could not be opened. */
function endAfter(error: unknown, { turnId, isQueued }: UnfinishedTurn, agent: Agent | null): Ending {
  const isRequest = error instanceof RequestError;
  if (isRequest && error.code === "approval_pending" && agent !== null && !isQueued)
    return { stopReason: waitOf(agent) };
  if (isRequest && error.code === "nothing_to_resume" && agent !== null) return endOfThread(turnId, agent);
  const { code, message } = error instanceof RuntimeError ? error : unexpected;
  if (error instanceof LimitError) return { stopReason: "budget", error: { code, message } };
  return { stopReason: code === "turn_abandoned" ? "interrupted" : "model-error", error: { code, message } };
}

export function waitOf({ pendingApprovals, pendingResults }: Agent): WaitReason {
  if (pendingApprovals.length > 0) return "awaiting-approval";
  return pendingResults.length > 0 ? "awaiting-result" : "awaiting-reply";
}

const unexpected = {
  code: "turn_abandoned",
  message: "The turn could not be continued. Send the message again.",
} as const;

/** Returns the end of a turn that has nothing to resume: only its end was not stored, or another turn followed. */
function endOfThread(turnId: string, { messages }: Agent): Ending {
  const last = messages.at(-1);
  if (last?.turnId === turnId) {
    const text = messages.findLast(({ role }) => role === "assistant")?.text ?? "";
    return { stopReason: last.status === "interrupted" ? "interrupted" : "end-turn", text };
  }
  const message = "The process of this turn ended, and another turn followed before it could be continued.";
  return { stopReason: "interrupted", error: { code: "turn_abandoned", message } };
}

/** Writes the end of a turn under the lease. Returns false if another process holds the lease of the conversation. */
async function endUnfinishedTurn(
  { store, times, ids }: EndDeps,
  userId: string,
  { turn, end }: { readonly turn: UnfinishedTurn; readonly end: Ending },
): Promise<boolean> {
  const own = store.as(userId);
  const { turnId, agentId, conversationId } = turn;
  const claim = { conversationId, claimant: ids.next(), ttlMs: times.leaseMs, goesFirst: true };
  const outcome = await own.leases.take(claim);
  if (outcome.type !== "taken") return false;
  let last: EventBatch | null = null;
  try {
    const asked = await own.unfinishedTurns.find(turnId);
    if (asked?.stopReason === null) last = await endTurn(own, outcome.lease, { agentId, turnId, ...end }, times);
    return true;
  } finally {
    await own.leases.release(outcome.lease, last);
  }
}
