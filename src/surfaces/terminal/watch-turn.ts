// Sends a turn's events to the screen in batches.
// Invariant: all events arrive, in order, in at most 25 batches per second; streamed text contains no control sequences.
import type { AgentEvent, StopReason } from "../../agent/events.ts";
import type { Clock } from "../../base/clock.ts";
import { createControlStripper } from "../../base/terminal-text.ts";
import type { ViewAction } from "./view/view-state.ts";

const batchMs = 40;

export interface TurnWatch {
  readonly clock: Clock;
  dispatch(action: ViewAction): void;
}

/** Shows the turn until it ends. Returns its stop reason; null if it ended without one. Rethrows the turn's errors. */
export async function watchTurn(
  turn: AsyncGenerator<AgentEvent, void>,
  { clock, dispatch }: TurnWatch,
): Promise<StopReason | null> {
  let pending: AgentEvent[] = [];
  let isScheduled = false;
  let stopReason: StopReason | null = null;
  const strip = createEventStripper();
  const flush = (): void => {
    isScheduled = false;
    if (pending.length > 0) dispatch({ type: "events", events: pending, atMs: clock.now().getTime() });
    pending = [];
  };
  try {
    for await (const event of turn) {
      if (event.type === "turn-end") stopReason = event.stopReason;
      addEvent(pending, strip(event));
      if (isScheduled) continue;
      isScheduled = true;
      void clock.sleep(batchMs).then(flush);
    }
  } finally {
    flush();
  }
  return stopReason;
}

// Consecutive deltas are merged, because the screen shows them together.
function addEvent(events: AgentEvent[], event: AgentEvent): void {
  const last = events.at(-1);
  const isDelta = event.type === "text-delta" || event.type === "thought-delta";
  if (!isDelta || last?.type !== event.type || last.step !== event.step) events.push(event);
  else events[events.length - 1] = { ...event, text: last.text + event.text };
}

// A control sequence may be split between deltas, so each stream of text has a stateful stripper. Other texts are complete
// and are stripped when they become rows.
function createEventStripper(): (event: AgentEvent) => AgentEvent {
  let strippers = { "text-delta": createControlStripper(), "thought-delta": createControlStripper() };
  return (event) => {
    if (event.type === "step-start" || event.type === "retry") {
      strippers = { "text-delta": createControlStripper(), "thought-delta": createControlStripper() };
    }
    if (event.type !== "text-delta" && event.type !== "thought-delta") return event;
    return { ...event, text: strippers[event.type].push(event.text) };
  };
}
