// A `fetch` for the SDKs whose responses have a bounded size and arrive as whole server-sent events.
// Invariant: no adapter reads a response that does not come through it.
import { ModelReplyLimitError } from "../../errors.ts";
import type { Provider } from "../failure/provider.ts";
import { createEventCutter } from "./event-cutter.ts";

export interface ReplyBounds {
  readonly provider: Provider;
  /** Bytes of one reply. Default 32,000,000. */
  readonly maxReplyBytes?: number | undefined;
  /** Default: the one of the platform. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

const megabyte = 1_000_000;
const defaultReplyBytes = 32 * megabyte;
/** Bytes of a response that is not a reply. */
const maxRefusalBytes = megabyte;

/** Reading a response that is larger than allowed throws ModelReplyLimitError and closes the connection. */
export function createBoundedFetch(bounds: ReplyBounds): typeof globalThis.fetch {
  const { fetch: send = globalThis.fetch, maxReplyBytes = defaultReplyBytes } = bounds;
  return async (...request) => {
    const response = await send(...request);
    if (response.body === null) return response;
    const maxBytes = response.ok ? maxReplyBytes : Math.min(maxReplyBytes, maxRefusalBytes);
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(boundedEvents(bounds.provider, maxBytes)), {
      status,
      statusText,
      headers,
    });
  };
}

function boundedEvents(provider: Provider, maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  const cutter = createEventCutter();
  let received = 0;
  return new TransformStream({
    transform(bytes, controller) {
      received += bytes.length;
      if (received > maxBytes) throw tooLarge(provider, maxBytes);
      for (const event of cutter.push(bytes)) controller.enqueue(event);
    },
    flush(controller) {
      const rest = cutter.rest();
      if (rest.length > 0) controller.enqueue(rest);
    },
  });
}

function tooLarge({ id, title }: Provider, maxBytes: number): ModelReplyLimitError {
  return new ModelReplyLimitError(
    `${title} sent more than ${maxBytes / megabyte} MB in one reply. The reply is dropped: ask for a shorter one, or raise maxReplyMegabytes.`,
    { provider: id },
  );
}
