// Retries model calls after rate limits, overload, time-outs, truncated streams and stalls.
// Invariant: only a retryable ModelError is retried; an abort and every other error is thrown at once.
import { type Backoff, delayAfter, isWorthRetrying } from "./backoff.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import type { StreamOptions } from "./stream-options.ts";
import { streamWatched, type WatchOptions } from "./watched-stream.ts";

export interface RetryOptions extends Backoff, WatchOptions {}

/** Returns the model with retries: exponential delays with full jitter, never shorter than the provider asks for. */
export function withRetries(model: Model, options: RetryOptions): Model {
  const { clock } = options;

  async function* stream(request: ModelRequest, streamOptions: StreamOptions): AsyncGenerator<ModelEvent> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        yield* streamWatched(model, request, { ...streamOptions, ...options });
        return;
      } catch (error) {
        if (!isWorthRetrying(attempt, error, options)) throw error;
        const delayMs = delayAfter(attempt, error, options);
        yield { type: "retry", attempt, delayMs, reason: error.message };
        await clock.sleep(delayMs, streamOptions.signal);
      }
    }
  }

  return { name: model.name, contextWindow: model.contextWindow, stream };
}
