// Decides whether a failed call to a provider is retried, and after which delay; retries calls that return one result.
// Invariant: only a retryable ModelError is retried; no delay is shorter than the provider asks for; an abort, and any
// error that is not retryable, is thrown at once.
import type { Clock } from "../../../base/clock.ts";
import { ModelError } from "../../../base/errors.ts";

export interface Backoff {
  /** Returns a number from 0 up to 1, like `Math.random`. */
  readonly random: () => number;
  /** Maximum calls including the first. Default 4. */
  readonly maxAttempts?: number;
  /** Maximum delay before the first retry, in milliseconds; it doubles with each retry. Default 500. */
  readonly baseDelayMs?: number;
  /** Maximum delay in milliseconds, unless the provider asks for more. Default 30,000. */
  readonly maxDelayMs?: number;
  /**
   * Maximum milliseconds that a provider may ask to wait; beyond that the call fails. Default 60,000: a turn should not
   * be blocked for longer.
   */
  readonly maxRetryAfterMs?: number;
}

/** Whether to retry after `attempt` calls, the last of which threw `error`. */
export function isWorthRetrying(attempt: number, error: unknown, backoff: Backoff): error is ModelError {
  const { maxAttempts = 4, maxRetryAfterMs = 60_000 } = backoff;
  if (attempt >= maxAttempts || !(error instanceof ModelError) || !error.retryable) return false;
  return (error.retryAfterMs ?? 0) <= maxRetryAfterMs;
}

/**
 * Returns the milliseconds to wait after `attempt` calls: exponential with full jitter, never less than the provider asks for.
 */
export function delayAfter(attempt: number, error: ModelError, backoff: Backoff): number {
  const { random, baseDelayMs = 500, maxDelayMs = 30_000 } = backoff;
  const ceilingMs = Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1));
  return Math.max(error.retryAfterMs ?? 0, Math.round(random() * ceilingMs));
}

/** Resolves to the result of `call`. Throws the error of the last attempt, or the signal's reason. */
export async function callWithRetries<Result>(
  call: () => Promise<Result>,
  { clock, signal, ...backoff }: Backoff & { readonly clock: Clock; readonly signal: AbortSignal | undefined },
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
