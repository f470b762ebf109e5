// Reads a turn for a reader that has seen nothing of it: the answer that it has so far, then what follows.
// Invariant: reading does not change the turn, except that one whose process was killed goes on.
import type { Agent } from "../agent/agent.ts";
import type { AgentEvent } from "../agent/events.ts";
import type { UserRuntime } from "../runtime/runtime.ts";
import { replayRun } from "../ui-stream/replay-run.ts";
import { type FollowedTurn, followTurn, type FollowOptions, openIn } from "./follow-turn.ts";

/** Yields the events of the current answer. Throws RequestError `turn_not_found` if they are no longer stored. */
export async function* replayTurn(
  runtime: UserRuntime,
  turn: FollowedTurn,
  options: Omit<FollowOptions, "after"> = {},
): AsyncGenerator<AgentEvent, void> {
  const stored = await storedEvents(await openIn(runtime, turn, { withoutCalls: true }), turn.id);
  const last = stored.at(-1);
  if (last !== undefined && isOver(last)) {
    yield* replayRun(stored);
    return;
  }
  yield* replayRun(stored, { onlyStored: true });
  const rest = followTurn(runtime, turn, { ...options, after: last?.sequence ?? 0 });
  try {
    yield* heldBack(stored, rest);
    yield* rest;
  } finally {
    await rest.return();
  }
}

/**
 * Yields what the last model call has streamed, once the next event shows that the call goes on: its process may have been
 * killed before it stored the reply, and then the call is made again.
 */
async function* heldBack(
  stored: readonly AgentEvent[],
  rest: AsyncGenerator<AgentEvent, void>,
): AsyncGenerator<AgentEvent, void> {
  const held = replayRun(stored).slice(replayRun(stored, { onlyStored: true }).length);
  if (held.length === 0) return;
  const { value: next, done } = await rest.next();
  if (done === true) return;
  if (next.type !== "turn-start") yield* held;
  yield next;
}

function isOver(event: AgentEvent): boolean {
  return (
    event.type === "turn-end" && event.stopReason !== "awaiting-approval" && event.stopReason !== "awaiting-result"
  );
}

/** Returns the events that are stored now. Throws RequestError `turn_not_found`. */
export async function storedEvents(agent: Agent, turnId: string): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  const stop = new AbortController();
  // Ends the reading where it would wait for more.
  stop.abort();
  try {
    for await (const event of agent.events(turnId, { signal: stop.signal })) events.push(event);
  } catch (error) {
    if (error !== stop.signal.reason) throw error;
  }
  return events;
}
