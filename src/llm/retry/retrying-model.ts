// Makes a model call again: after rate limits, overload, time-outs, broken streams and stalls.
// Invariant: only a retryable ModelError is tried again; an abort and everything else pass through at once.
import type { Clock } from "../../base/clock.ts";
import { ModelTimeoutError } from "../../errors.ts";
import { readUntilAborted } from "./abortable.ts";
import { type Backoff, delayAfter, isWorthRetrying } from "./backoff.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { watchStall } from "./stall-watch.ts";
import type { StreamOptions } from "./stream-options.ts";

export interface RetryOptions extends Backoff {
  readonly clock: Clock;
  /** How long a call may be silent. Default 120,000. */
  readonly stallMs?: number;
}

/** The model, with retries: exponential waits with full jitter, never shorter than the provider asks for. */
export function withRetries(model: Model, options: RetryOptions): Model {
  const { clock } = options;

  async function* stream(request: ModelRequest, streamOptions: StreamOptions): AsyncGenerator<ModelEvent> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        yield* streamOnce(model, request, { ...streamOptions, ...options });
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
