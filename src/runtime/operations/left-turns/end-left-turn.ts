// Gives a turn that cannot be continued the end that its readers wait for.
// Invariant: written under the lease, so that a turn that another process continues, or has ended, is left as it is.
import type { Agent } from "../../../agent/agent.ts";
import type { TurnEnd } from "../../../agent/events.ts";
import { createTurnJournal } from "../../../agent/turn-journal.ts";
import type { Ids } from "../../../base/ids.ts";
import { LimitError, RequestError, RuntimeError } from "../../../base/errors.ts";
import type { LeftTurn } from "../../../store/port/left-turn-store.ts";
import type { Store } from "../../../store/port/store.ts";
import { type EventBatch, queueKeyOf } from "../../../store/port/turn-store.ts";
import { noUsage } from "../../../base/message/message.ts";
import type { OperationDeps } from "../operation-deps.ts";

export interface EndDeps {
  readonly store: Store;
  readonly times: Pick<OperationDeps["turnTimes"], "leaseMs" | "keepEventsMs">;
  readonly ids: Ids;
}

export type LeftEnd = Pick<TurnEnd, "stopReason" | "text" | "error">;

/** Returns the end of a turn of which `resume` threw this error. `agent`: as the turn left it; null if it cannot be opened. */
export function endAfter(error: unknown, turnId: string, agent: Agent | null): LeftEnd {
  const isRequest = error instanceof RequestError;
  if (isRequest && error.code === "approval_pending" && agent !== null)
    return { stopReason: agent.pendingApprovals.length > 0 ? "awaiting-approval" : "awaiting-result", text: "" };
  if (isRequest && error.code === "nothing_to_resume" && agent !== null) return endOfThread(turnId, agent);
  const { code, message } = error instanceof RuntimeError ? error : unexpected;
  if (error instanceof LimitError) return { stopReason: "budget", text: "", error: { code, message } };
  return { stopReason: code === "turn_abandoned" ? "interrupted" : "model-error", text: "", error: { code, message } };
}

const unexpected = {
  code: "turn_abandoned",
  message: "The turn could not be continued. Send the message again.",
} as const;

/** The last reply was stored and the end was not, or the conversation went on. */
function endOfThread(turnId: string, { messages }: Agent): LeftEnd {
  const last = messages.at(-1);
  if (last?.turnId === turnId) {
    const text = messages.findLast(({ role }) => role === "assistant")?.text ?? "";
    return { stopReason: last.status === "interrupted" ? "interrupted" : "end-turn", text };
  }
  const message = "The process of this turn ended, and another turn followed before it could be continued.";
  return { stopReason: "interrupted", text: "", error: { code: "turn_abandoned", message } };
}

/** Returns false if another process writes in the conversation. */
export async function endLeftTurn(
  { store, times, ids }: EndDeps,
  userId: string,
  { turn, end }: { readonly turn: LeftTurn; readonly end: LeftEnd },
): Promise<boolean> {
  const { leases, events, leftTurns, inputs } = store.as(userId);
  const { turnId, agentId, conversationId } = turn;
  const claim = { conversationId, claimant: ids.next(), ttlMs: times.leaseMs, goesFirst: true };
  const outcome = await leases.take(claim);
  if (outcome.type !== "taken") return false;
  let last: EventBatch | null = null;
  try {
    if ((await leftTurns.find(turnId))?.stopReason !== null) return true;
    const start = { after: await events.last(turnId), isKept: times.keepEventsMs > 0 };
    const journal = createTurnJournal({ agentId, conversationId, turnId }, start);
    journal.record({ type: "turn-end", ...end, steps: 0, usage: noUsage });
    last = await journal.store((batch) => Promise.resolve(batch));
    const input = await leftTurns.input(conversationId, turnId);
    if (input === null || last === null) return true;
    // Only the queue knows the turn until it has an end.
    await events.append(outcome.lease, last);
    await inputs.withdraw(conversationId, queueKeyOf(input));
    return true;
  } finally {
    await leases.release(outcome.lease, last);
  }
}
