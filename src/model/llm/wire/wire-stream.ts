// Runs one request of a provider's SDK and yields its events. Also creates a `fetch` for the SDKs, which limits the size of
// responses and passes them on as whole server-sent events.
// Invariant: a request fails only with the signal's reason or a ModelError; every response that an adapter reads comes through
// this `fetch`; splitting a response into events takes linear time and loses no content.
import { systemClock } from "../../../base/clock.ts";
import { ModelError, ModelReplyLimitError } from "../../../base/errors.ts";
import { toModelError, type Provider } from "../failure/model-errors.ts";
import { readSdkError, type SdkErrorClasses } from "../failure/sdk-error.ts";
import type { StreamOptions } from "../retry/retrying-model.ts";

export interface WireRequest<Event> {
  readonly provider: Provider;
  readonly sdk: SdkErrorClasses;
  /** Sends the request; resolves when the provider has accepted it. */
  readonly open: () => Promise<AsyncIterable<Event>>;
}

/** Yields the provider's events as they arrive. A stream that ends early is not an error: readers must check for it. */
export async function* readWire<Event>(wire: WireRequest<Event>, options: StreamOptions): AsyncGenerator<Event> {
  let stage: "request" | "stream" = "request";
  options.signal?.throwIfAborted();
  try {
    const events = await wire.open();
    stage = "stream";
    yield* events;
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof ModelError) throw error;
    throw toModelError(readSdkError(error, wire.sdk, stage), wire.provider, systemClock.now());
  }
  // The SDKs end a stream without an error when its signal aborts.
  options.signal?.throwIfAborted();
}

interface FetchOptions {
  readonly provider: Provider;
  readonly onActivity?: StreamOptions["onActivity"] | undefined;
  /** Maximum bytes of one reply. Default 32,000,000. */
  readonly maxReplyBytes?: number | undefined;
  /** Default: the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

const megabyte = 1_000_000;
const defaultReplyBytes = 32 * megabyte;
/** Maximum bytes of a response whose HTTP status is an error. */
const maxRefusalBytes = megabyte;

/**
 * Returns the client without the headers that it read from `ANTHROPIC_CUSTOM_HEADERS` or `OPENAI_CUSTOM_HEADERS`: they could
 * replace the configured key, and would go to any server. The SDKs have no option for this.
 */
export function withoutCustomHeaders<Client extends object>(client: Client): Client {
  const { _options: options } = client as unknown as { readonly _options: { defaultHeaders?: unknown } };
  delete options.defaultHeaders;
  return client;
}

/**
 * Returns a `fetch` with a size limit: reading a larger response throws ModelReplyLimitError and closes the connection. This
 * `fetch` reports all data as activity, because the SDKs drop what servers send to keep a connection alive: pings and comments.
 */
export function createBoundedFetch(options: FetchOptions): typeof globalThis.fetch {
  const { fetch: send = globalThis.fetch, maxReplyBytes = defaultReplyBytes, provider, onActivity } = options;
  return async (...request) => {
    const response = await send(...request);
    onActivity?.();
    const { body, ok, status, statusText, headers } = response;
    if (body === null) return response;
    const maxBytes = ok ? maxReplyBytes : Math.min(maxReplyBytes, maxRefusalBytes);
    const events = boundedEvents(body, { provider, maxBytes, onActivity });
    return new Response(events, { status, statusText, headers });
  };
}

/** Returns a stream of the events in a response body, with one event per chunk. */
function boundedEvents(
  body: ReadableStream<Uint8Array>,
  { provider, maxBytes, onActivity }: FetchOptions & { readonly maxBytes: number },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const cutter = createEventCutter();
  let received = 0;
  return new ReadableStream({
    async pull(controller) {
      // Reads until there is an event, because the platform calls `pull` again only after an event was enqueued.
      for (let events: readonly Uint8Array[] = []; events.length === 0; ) {
        const { done, value } = await reader.read();
        if (done) {
          const rest = cutter.rest();
          if (rest.length > 0) controller.enqueue(rest);
          controller.close();
          return;
        }
        onActivity?.();
        received += value.length;
        if (received > maxBytes) {
          const error = tooLarge(provider, maxBytes);
          await reader.cancel(error);
          throw error;
        }
        events = cutter.push(value);
        for (const event of events) controller.enqueue(event);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function tooLarge({ id, title }: Provider, maxBytes: number): ModelReplyLimitError {
  return new ModelReplyLimitError(
    `${title} sent more than ${maxBytes / megabyte} MB in one reply. The reply was discarded. Ask for a shorter one, or raise maxReplyMegabytes.`,
    { provider: id },
  );
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const newline = new Uint8Array([lineFeed]);

/** Splits a byte stream into complete events, because the SDKs scan an event again for every chunk of it. */
interface EventCutter {
  /** Returns the events that these bytes complete, each with its blank line. */
  push(bytes: Uint8Array): readonly Uint8Array[];
  /** Returns the bytes after the last complete event, once no more bytes follow. */
  rest(): Uint8Array;
}

/** Creates a cutter whose events have a line feed at every line end, instead of the original line ends. */
export function createEventCutter(): EventCutter {
  const event = createByteBuffer();
  let lineLength = 0;
  let afterReturn = false;
  return {
    push(bytes) {
      const events: Uint8Array[] = [];
      let lineStart = 0;
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at];
        const isSecondHalf = afterReturn && byte === lineFeed;
        afterReturn = byte === carriageReturn;
        if (isSecondHalf) {
          lineStart = at + 1;
        } else if (byte === lineFeed || byte === carriageReturn) {
          event.add(bytes.subarray(lineStart, at));
          event.add(newline);
          if (lineLength === 0) events.push(event.take());
          lineLength = 0;
          lineStart = at + 1;
        } else {
          lineLength += 1;
        }
      }
      event.add(bytes.subarray(lineStart));
      return events;
    },
    rest: () => event.take(),
  };
}

interface ByteBuffer {
  add(bytes: Uint8Array): void;
  /** Returns everything added since the last call. */
  take(): Uint8Array;
}

/** Creates a buffer that doubles its capacity when full, so that each byte is copied a constant number of times. */
function createByteBuffer(): ByteBuffer {
  let buffer = new Uint8Array(4096);
  let length = 0;
  return {
    add(bytes) {
      if (length + bytes.length > buffer.length) {
        const larger = new Uint8Array(Math.max(buffer.length * 2, length + bytes.length));
        larger.set(buffer.subarray(0, length));
        buffer = larger;
      }
      buffer.set(bytes, length);
      length += bytes.length;
    },
    take() {
      const taken = buffer.slice(0, length);
      length = 0;
      return taken;
    },
  };
}
