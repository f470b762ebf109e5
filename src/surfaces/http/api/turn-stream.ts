// The stream of a turn's events as a response.
// Invariant: the reading, but not the turn, ends when the client disconnects.
import type { AgentEvent } from "../../../agent/events.ts";
import { systemClock } from "../../../base/clock.ts";
import { type EventStream, type SentEvent, startedStream } from "../event-stream.ts";

/** In an object, because a promise that resolves to the events of a turn would await the end of the turn. */
export interface OpenedEvents {
  readonly events: AsyncIterable<AgentEvent>;
}

export function streamOf(open: () => Promise<OpenedEvents>, signal: AbortSignal): Promise<EventStream> {
  return startedStream(eventsOf(open, signal), systemClock);
}

/** Opens a stream of events when it is first read. The reading, but not the turn, ends with the signal. */
async function* eventsOf(open: () => Promise<OpenedEvents>, signal: AbortSignal): AsyncGenerator<SentEvent, void> {
  try {
    for await (const event of (await open()).events) {
      if (signal.aborted) return;
      yield { id: String(event.sequence), event: event.type, data: event };
    }
  } catch (error) {
    // Reading ends with the signal's reason when the client disconnects: nobody is there to be told.
    if (!signal.aborted) throw error;
  }
}
