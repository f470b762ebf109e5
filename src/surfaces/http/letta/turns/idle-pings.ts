// Pings in a silent stream, so that a client sees that a slow model is still at work.
// Invariant: a ping changes no other event, their order or their numbers.
import type { Clock } from "../../../../base/clock.ts";
import type { SentEvent } from "../../event-stream.ts";

export interface IdlePings {
  /** Milliseconds of silence before each ping. */
  readonly everyMs: number;
  readonly ping: () => SentEvent;
  readonly clock: Pick<Clock, "sleep">;
}

export async function* withIdlePings(
  events: AsyncGenerator<SentEvent, void>,
  { everyMs, ping, clock }: IdlePings,
): AsyncGenerator<SentEvent, void> {
  try {
    for (let next = events.next(); ; ) {
      const silence = new AbortController();
      const waited = clock.sleep(everyMs, silence.signal, { background: true }).then(
        () => null,
        () => null,
      );
      const result = await Promise.race([next, waited]);
      silence.abort();
      if (result === null) {
        yield ping();
        continue;
      }
      if (result.done === true) return;
      yield result.value;
      next = events.next();
    }
  } finally {
    await events.return();
  }
}
