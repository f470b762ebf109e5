// A call whose answer comes whole, made again as `withRetries` does for a model's stream.
// Invariant: an abort, and whatever is not worth another call, passes through at once.
import type { Clock } from "../../base/clock.ts";
import { type Backoff, delayAfter, isWorthRetrying } from "./backoff.ts";

export interface CallRetryOptions extends Backoff {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/** What `call` resolves to. Throws its last error, or the signal's reason. */
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
