// The one place that makes a model call again: rate limits, overload, time-outs, broken streams and stalls.
// Invariant: only a retryable ModelError is tried again; an abort and everything else pass through at once.
import type { Clock } from "../../base/clock.ts";
import { ModelError, ModelTimeoutError } from "../../errors.ts";
import { readUntilAborted } from "./abortable.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { watchStall } from "./stall-watch.ts";
import type { StreamOptions } from "./stream-options.ts";

export interface RetryOptions {
  readonly clock: Clock;
  /** A number from 0 up to 1, as `Math.random`. */
  readonly random: () => number;
  /** Calls in all, the first included. Default 4. */
  readonly maxAttempts?: number;
  /** The longest wait before the first retry; it doubles with each one. Default 500. */
  readonly baseDelayMs?: number;
  /** The longest wait of all, unless the provider asks for more. Default 30,000. */
  readonly maxDelayMs?: number;
  /** How long a call may be silent. Default 120,000. */
  readonly stallMs?: number;
}

// A provider that asks for longer than this is not worth holding a turn for.
const longestRetryAfterMs = 60_000;

/** The model, with retries: exponential waits with full jitter, never shorter than the provider asks for. */
export function withRetries(model: Model, options: RetryOptions): Model {
  const { clock, maxAttempts = 4 } = options;

  async function* stream(request: ModelRequest, streamOptions: StreamOptions): AsyncGenerator<ModelEvent> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        yield* streamOnce(model, request, { ...streamOptions, ...options });
        return;
      } catch (error) {
        if (attempt >= maxAttempts || !isWorthRetrying(error)) throw error;
        const delayMs = delayAfter(attempt, error, options);
        yield { type: "retry", attempt, delayMs, reason: error.message };
        await clock.sleep(delayMs, streamOptions.signal);
      }
    }
  }

  return { name: model.name, contextWindow: model.contextWindow, stream };
}

async function* streamOnce(
  model: Model,
  request: ModelRequest,
  { clock, stallMs = 120_000, signal, onActivity }: StreamOptions & RetryOptions,
): AsyncGenerator<ModelEvent> {
  const watch = watchStall({ clock, stallMs, reason: () => stallError(model, stallMs), signal });
  const options: StreamOptions = {
    signal: watch.signal,
    onActivity: () => {
      watch.touch();
      onActivity?.();
    },
  };
  try {
    for await (const event of readUntilAborted(model.stream(request, options), watch.signal)) {
      watch.touch();
      yield event;
    }
  } finally {
    watch.stop();
  }
}

function stallError(model: Model, stallMs: number): ModelTimeoutError {
  const seconds = Math.round(stallMs / 1000);
  return new ModelTimeoutError(`Nothing came from "${model.name}" for ${seconds} seconds. Try again later.`, {
    provider: model.name.split("/", 1)[0] ?? model.name,
  });
}

function isWorthRetrying(error: unknown): error is ModelError {
  return error instanceof ModelError && error.retryable && (error.retryAfterMs ?? 0) <= longestRetryAfterMs;
}

function delayAfter(attempt: number, error: ModelError, options: RetryOptions): number {
  const { random, baseDelayMs = 500, maxDelayMs = 30_000 } = options;
  const ceilingMs = Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1));
  return Math.max(error.retryAfterMs ?? 0, Math.round(random() * ceilingMs));
}
