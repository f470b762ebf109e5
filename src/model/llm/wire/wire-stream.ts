// Runs one request of an SDK and yields its events, hiding the SDK's errors and its silent aborts from adapters.
// Invariant: it throws only the signal's reason or a ModelError.
import { systemClock } from "../../../base/clock.ts";
import { ModelError } from "../../../base/errors.ts";
import { toModelError } from "../failure/model-errors.ts";
import type { Provider } from "../failure/provider.ts";
import { readSdkError, type SdkErrorClasses } from "../failure/sdk-error.ts";
import type { StreamOptions } from "../retry/retrying-model.ts";

export interface WireRequest<Event> {
  readonly provider: Provider;
  readonly sdk: SdkErrorClasses;
  /** Sends the request; resolves when the provider has accepted it. */
  readonly open: () => Promise<AsyncIterable<Event>>;
}

/**
 * Yields the provider's events as they arrive. Ends early without an error if the provider does: readers must check.
 */
export async function* readWire<Event>(wire: WireRequest<Event>, options: StreamOptions): AsyncGenerator<Event> {
  let stage: "request" | "stream" = "request";
  options.signal?.throwIfAborted();
  try {
    const events = await wire.open();
    stage = "stream";
    options.onActivity?.();
    for await (const event of events) {
      options.onActivity?.();
      yield event;
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof ModelError) throw error;
    throw toModelError(readSdkError(error, wire.sdk, stage), wire.provider, systemClock.now());
  }
  // The SDKs end a stream without an error when its signal aborts.
  options.signal?.throwIfAborted();
}
