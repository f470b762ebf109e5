// Sends the events of a route as a stream of server-sent events.
// Invariant: the client gets headers and a first comment at once; a failure is reported by an event of the stream,
// never only by the end of the stream.

import { systemClock } from "../../base/clock.ts";

export interface SentEvent {
  /** The event's id, which a client sends back as `Last-Event-ID`. */
  readonly id?: string;
  readonly event?: string;
  /** Sent as JSON, unless `isRaw` is set. */
  readonly data: unknown;
  /** True if `data` is one line of text, which is sent unchanged. */
  readonly isRaw?: true;
}

/** The result of a route with the output `events`. A class, so that it differs from every JSON value. */
export class EventStream {
  readonly events: AsyncIterable<SentEvent>;
  /** Response headers in addition to those of every stream. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(events: AsyncIterable<SentEvent>, headers: Readonly<Record<string, string>> = {}) {
    this.events = events;
    this.headers = headers;
  }
}

/**
 * Maximum milliseconds for which a response waits for the first event of its stream, so that a failure can set its status.
 * If the turn is silent, the client waits that long for the headers. On a busy machine, a refusal takes more than a second.
 */
const startMs = 3000;

/**
 * Starts a stream, and returns it after its first event, or after `startMs`. Rejects if the stream fails before that, so
 * that the response can have the status of the error.
 */
export async function startedStream(
  events: AsyncGenerator<SentEvent, void>,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventStream> {
  const first = events.next();
  await Promise.race([first, systemClock.sleep(startMs, undefined, { background: true })]);
  return new EventStream(resumed(first, events), headers);
}

async function* resumed(
  first: Promise<IteratorResult<SentEvent, void>>,
  events: AsyncGenerator<SentEvent, void>,
): AsyncGenerator<SentEvent, void> {
  try {
    const { value, done } = await first;
    if (done === true) return;
    yield value;
    yield* events;
  } finally {
    await events.return();
  }
}

export interface StreamOptions {
  /** Milliseconds without an event after which a comment is sent, because proxies close silent connections. */
  readonly pingMs: number;
  /** Returns the last event of a stream that failed. */
  readonly onFailure: (error: unknown) => SentEvent;
  /** Called when the stream has ended or its client has left. */
  readonly onEnd: () => void;
  /** Ends the stream when aborted; its last event reports the reason. */
  readonly signal: AbortSignal;
}

/** Returns the bytes of a stream. Cancelling the returned stream ends the reading of the events. */
export function encodeEvents(
  { events }: EventStream,
  { pingMs, onFailure, onEnd, signal }: StreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = events[Symbol.asyncIterator]();
  let ping: ReturnType<typeof setInterval> | undefined;
  let hasLeft = false;
  const stop = async (): Promise<void> => {
    hasLeft = true;
    clearInterval(ping);
    onEnd();
    await iterator.return?.();
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const comment = (): void => controller.enqueue(encoder.encode(": ping\n\n"));
      comment();
      ping = setInterval(comment, pingMs);
      ping.unref();
      signal.addEventListener(
        "abort",
        () => {
          if (hasLeft) return;
          controller.enqueue(encoder.encode(encodeEvent(onFailure(signal.reason))));
          controller.close();
          stop().catch(onFailure);
        },
        { once: true },
      );
    },
    async pull(controller) {
      try {
        const next = await iterator.next();
        // The client left while the next event was awaited.
        if (hasLeft) return;
        if (next.done !== true) {
          controller.enqueue(encoder.encode(encodeEvent(next.value)));
          return;
        }
      } catch (error) {
        if (hasLeft) return;
        controller.enqueue(encoder.encode(encodeEvent(onFailure(error))));
      }
      hasLeft = true;
      clearInterval(ping);
      controller.close();
      onEnd();
    },
    cancel: stop,
  });
}

export function encodeEvent({ id, event, data, isRaw }: SentEvent): string {
  const lines = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    `data: ${isRaw === true ? String(data) : JSON.stringify(data)}`,
  ];
  return `${lines.join("\n")}\n\n`;
}
