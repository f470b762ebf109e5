// Returns the events of a turn as the stream of a response.
// Invariant: when the client disconnects, reading ends, but the turn goes on.
import { type EventStream, type SentEvent, startedStream } from "../event-stream.ts";
import { clientEvent } from "../fault.ts";
import type { OpenedEvents } from "../follow-turn.ts";

export function streamOf(open: () => Promise<OpenedEvents>, signal: AbortSignal): Promise<EventStream> {
  return startedStream(eventsOf(open, signal));
}

/** Yields the events of a stream that is opened at the first read. The signal ends the reading, not the turn. */
async function* eventsOf(open: () => Promise<OpenedEvents>, signal: AbortSignal): AsyncGenerator<SentEvent, void> {
  try {
    for await (const event of (await open()).events) {
      if (signal.aborted) return;
      yield { id: String(event.sequence), event: event.type, data: clientEvent(event) };
    }
  } catch (error) {
    // After the client has disconnected, the error is the signal's reason, and nobody would read a report.
    if (!signal.aborted) throw error;
  }
}
