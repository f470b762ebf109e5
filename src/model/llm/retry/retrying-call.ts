// Retries a call that returns one result, like `withRetries` for a model's stream.
// Invariant: an abort, and any error that is not retryable, is thrown at once.
import type { Clock } from "../../../base/clock.ts";
import { type Backoff, delayAfter, isWorthRetrying } from "./backoff.ts";

export interface CallRetryOptions extends Backoff {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/** Resolves to the result of `call`. Throws its last error, or the signal's reason. */
export async function callWithRetries<Result>(
  call: () => Promise<Result>,
  { clock, signal, ...backoff }: CallRetryOptions,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      signal?.throwIfAborted();
      if (!isWorthRetrying(attempt, error, backoff)) throw error;
      await clock.sleep(delayAfter(attempt, error, backoff), signal);
    }
  }
}
