// Whether a failed call to a provider is worth another, and how long to wait before it.
// Invariant: only a retryable ModelError is; no wait is shorter than the provider asks for.
import { ModelError } from "../../errors.ts";

export interface Backoff {
  /** A number from 0 up to 1, as `Math.random`. */
  readonly random: () => number;
  /** Calls in all, the first included. Default 4. */
  readonly maxAttempts?: number;
  /** The longest wait before the first retry, in milliseconds; it doubles with each one. Default 500. */
  readonly baseDelayMs?: number;
  /** The longest wait of all, unless the provider asks for more. Default 30,000. */
  readonly maxDelayMs?: number;
  /** A provider that asks for a longer wait is not called again. Default 60,000: longer is not worth holding a turn for. */
  readonly longestRetryAfterMs?: number;
}

/** Whether to call again after `attempt` calls, the last of which threw `error`. */
export function isWorthRetrying(attempt: number, error: unknown, backoff: Backoff): error is ModelError {
  const { maxAttempts = 4, longestRetryAfterMs = 60_000 } = backoff;
  if (attempt >= maxAttempts || !(error instanceof ModelError) || !error.retryable) return false;
  return (error.retryAfterMs ?? 0) <= longestRetryAfterMs;
}

/** Milliseconds to wait after so many calls: exponential with full jitter, never less than the provider asks for. */
export function delayAfter(attempt: number, error: ModelError, backoff: Backoff): number {
  const { random, baseDelayMs = 500, maxDelayMs = 30_000 } = backoff;
  const ceilingMs = Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1));
  return Math.max(error.retryAfterMs ?? 0, Math.round(random() * ceilingMs));
}
