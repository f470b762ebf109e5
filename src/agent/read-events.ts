// Reads the stored events of a turn, from any process, while it runs and afterwards.
// Invariant: every stored event after the given one is returned once, in order; reading has no effect on the turn.
import { systemClock } from "../base/clock.ts";
import { RequestError } from "../base/errors.ts";
import type { ReadOptions } from "./turn-options.ts";
import type { AgentEvent } from "./events.ts";
import { decodeEvents } from "./turn-journal.ts";
import type { AgentDeps } from "./turn.ts";

/** Milliseconds between two reads while the turn is queued or running. */
const pollMs = 100;

type ReadDeps = Pick<AgentDeps, "agent" | "conversationId" | "store" | "times">;

/**
 * Yields the stored events, and ends when the turn is over: completed, waiting for approval, or ended early with its process.
 * Throws RequestError `turn_not_found`, and the signal's reason.
 */
export async function* readEvents(
  { agent, conversationId, store, times }: ReadDeps,
  turnId: string,
  { after = 0, signal }: ReadOptions,
): AsyncGenerator<AgentEvent, void> {
  const header = { agentId: agent.id, conversationId };
  let wasKnown = false;
  for (let last = after; ; ) {
    const { batches, state } = await store.events.read(conversationId, turnId, last);
    if (state === "unknown" && !wasKnown) throw turnNotFound(turnId, times.keepEventsMs);
    wasKnown = true;
    for (const event of batches.flatMap((batch) => decodeEvents(batch, header))) {
      if (event.sequence <= last) continue;
      last = event.sequence;
      yield event;
    }
    if (state === "over" || state === "unknown") return;
    await systemClock.sleep(pollMs, signal);
  }
}

function turnNotFound(turnId: string, keepEventsMs: number): RequestError {
  const why =
    keepEventsMs === 0
      ? "events are not stored here (keepEventsMinutes: 0)"
      : `events are stored for ${keepEventsMs / 60_000} minutes; the messages stay`;
  return new RequestError("turn_not_found", `No events of a turn "${turnId}" in this conversation: ${why}.`);
}
