// Reads a turn for a client that has none of its events: the stored events, then the events that follow.
// Invariant: reading does not change a turn, but continues it if its process ended. If a reply was never stored, the events
// with its text are marked with `counts: false`.
import { valueOn } from "../../base/thrown-values.ts";
import type { Agent } from "../../agent/agent.ts";
import type { AgentEvent } from "../../agent/events.ts";
import type { UserRuntime } from "../../runtime/runtime.ts";
import { replayRun } from "../stream/ai-sdk/replay-run.ts";
import { type FollowedTurn, followTurn, type FollowOptions, isLast, openIn } from "./follow-turn.ts";

/** An event of a turn. `counts`: whether `replayRun` keeps the event. */
export interface ReadEvent {
  readonly event: AgentEvent;
  readonly counts: boolean;
}

/** Yields a turn's events that `replayRun` keeps. Throws RequestError `turn_not_found` if no events are stored. */
export async function* replayTurn(
  runtime: UserRuntime,
  turn: FollowedTurn,
  options: Omit<FollowOptions, "after"> = {},
): AsyncGenerator<AgentEvent, void> {
  yield* counting(readTurn(runtime, turn, options));
}

/** Yields only the events with `counts: true`. */
export async function* counting(events: AsyncIterable<ReadEvent>): AsyncGenerator<AgentEvent, void> {
  for await (const { event, counts } of events) if (counts) yield event;
}

/** Yields all events of a turn, each with `counts`. Throws the same errors as `replayTurn`. */
export async function* readTurn(
  runtime: UserRuntime,
  turn: FollowedTurn,
  options: Omit<FollowOptions, "after"> = {},
): AsyncGenerator<ReadEvent, void> {
  const agent = await openIn(runtime, turn, { withoutCalls: true });
  const stored = await storedEvents(agent, turn.id);
  const last = stored.at(-1);
  if (last !== undefined && isLast(last)) yield* judged(stored, stored);
  else yield* goOn(runtime, stored, followTurn(runtime, turn, { ...options, after: last?.sequence ?? 0 }));
}

/** Yields the stored events of a turn, then the events of `rest`, each with `counts`. */
export async function* goOn(
  { conversations }: Pick<UserRuntime, "conversations">,
  stored: readonly AgentEvent[],
  rest: AsyncGenerator<AgentEvent, void>,
): AsyncGenerator<ReadEvent, void> {
  const open = await beginOfOpenStep(conversations, stored);
  const certain = stored.slice(0, open);
  yield* judged(certain, certain);
  try {
    if (open < stored.length) {
      // The next event shows whether the model call goes on, or whether its process ended before the reply was stored.
      const { value: next, done } = await rest.next();
      yield* judged(stored.slice(open), done === true ? certain : [...stored, next]);
      if (done === true) return;
      yield { event: next, counts: true };
    }
    for await (const event of rest) yield { event, counts: true };
  } finally {
    await rest.return();
  }
}

/** Returns `events`, each with `counts`: whether `replayRun(known)` keeps the event. */
function judged(events: readonly AgentEvent[], known: readonly AgentEvent[]): readonly ReadEvent[] {
  const kept = new Set(replayRun(known));
  return events.map((event) => ({ event, counts: kept.has(event) }));
}

/** Returns the index of the event that begins the last model call if its reply is not stored, else the number of events. */
async function beginOfOpenStep(
  conversations: UserRuntime["conversations"],
  events: readonly AgentEvent[],
): Promise<number> {
  const at = events.findLastIndex(({ type }) => type === "step-start" || type === "step-end");
  const last = events[at];
  if (last?.type !== "step-start") return events.length;
  const isStored = await conversations.message(last.messageId).then(() => true, valueOn("message_not_found", false));
  return isStored ? events.length : at;
}

/** Returns the events of a turn that are stored now. Throws RequestError `turn_not_found`. */
export async function storedEvents(agent: Agent, turnId: string): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  const stop = new AbortController();
  // The signal is aborted before the reading, so the reading ends instead of waiting for more events.
  stop.abort();
  try {
    for await (const event of agent.events(turnId, { signal: stop.signal })) events.push(event);
  } catch (error) {
    if (error !== stop.signal.reason) throw error;
  }
  return events;
}

/** Returns the events of a turn that are stored now; none once they have expired. */
export function eventsIfStored(agent: Agent, turnId: string): Promise<readonly AgentEvent[]> {
  return storedEvents(agent, turnId).catch(valueOn("turn_not_found", []));
}
