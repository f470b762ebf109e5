// Makes a model call again: after rate limits, overload, time-outs, broken streams and stalls.
// Invariant: only a retryable ModelError is tried again; an abort and everything else pass through at once.
import type { Clock } from "../../base/clock.ts";
import { type ModelError, ModelReplyLimitError, ModelTimeoutError } from "../../errors.ts";
import { readUntilAborted } from "./abortable.ts";
import { type Backoff, delayAfter, isWorthRetrying } from "./backoff.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { watchStall } from "./stall-watch.ts";
import type { StreamOptions } from "./stream-options.ts";

export interface RetryOptions extends Backoff {
  readonly clock: Clock;
  /** How long a call may be silent. Default 120,000. */
  readonly stallMs?: number;
  /** How long a call may take in all. Default 1,800,000. */
  readonly maxReplyMs?: number;
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
  { clock, stallMs = 120_000, maxReplyMs = 1_800_000, signal, onActivity }: StreamOptions & RetryOptions,
): AsyncGenerator<ModelEvent> {
  const watch = watchStall({
    clock,
    stallMs,
    maxMs: maxReplyMs,
    reason: (over) => (over === "stall" ? stallError(model, stallMs) : timeError(model, maxReplyMs)),
    signal,
  });
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
    provider: providerOf(model),
  });
}

function timeError(model: Model, maxReplyMs: number): ModelError {
  const seconds = maxReplyMs / 1000;
  return new ModelReplyLimitError(
    `"${model.name}" was still answering after ${seconds} seconds. Ask for a shorter reply, or raise maxReplySeconds.`,
    { provider: providerOf(model) },
  );
}

function providerOf({ name }: Model): string {
  return name.split("/", 1)[0] ?? name;
}
