// Retries model calls after rate limits, overload, time-outs, truncated streams and stalls, and limits the silence and the duration
// of each call.
// Invariant: only a retryable ModelError is retried; an abort and every other error is thrown at once. After an abort nothing is
// awaited, whether or not the model honours its signal; no timer outlives the call.
import type { Clock } from "../../../base/clock.ts";
import { type ModelError, ModelReplyLimitError, ModelTimeoutError } from "../../../base/errors.ts";
import { untilAborted } from "../../../base/waiting.ts";
import { type Model, type ModelEvent, type ModelRequest, withStream } from "../model.ts";
import { type Backoff, delayAfter, isWorthRetrying } from "./backoff.ts";

export interface StreamOptions {
  readonly signal?: AbortSignal;
  /**
   * Called for every chunk that arrives, even if the chunk yields no event: the arguments of a tool call can stream
   * for minutes before the call is complete. For a model that never calls this function, events count as activity.
   */
  readonly onActivity?: () => void;
}

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

  return withStream(model, stream);
}

interface WatchOptions {
  readonly clock: Clock;
  /** Maximum milliseconds without data from the provider. Default 120,000. */
  readonly stallMs?: number;
  /** Maximum milliseconds of a whole call. Default 1,800,000. */
  readonly maxReplyMs?: number;
}

/**
 * Yields the model's events. Throws ModelTimeoutError if no data arrives for `stallMs`, ModelReplyLimitError if the call
 * takes longer than `maxReplyMs`, or the signal's reason.
 */
async function* streamWatched(
  model: Model,
  request: ModelRequest,
  { clock, stallMs = 120_000, maxReplyMs = 1_800_000, signal, onActivity }: StreamOptions & WatchOptions,
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
  return new ModelTimeoutError(`"${model.name}" sent nothing for ${seconds} seconds. Try again later.`, {
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

interface StallWatch {
  /**
   * Aborts if the caller's signal does (with its reason), or if the call exceeds a limit (with the result of `reason`).
   */
  readonly signal: AbortSignal;
  /** Reports activity. */
  readonly touch: () => void;
  /** Ends the watch. Every caller must call this function, because a timer runs until then. */
  readonly stop: () => void;
}

interface StallWatchOptions {
  readonly clock: Clock;
  readonly stallMs: number;
  /** Maximum milliseconds of the whole call. */
  readonly maxMs: number;
  /** Creates the abort reason: nothing arrived for too long, or the call took too long. */
  readonly reason: (over: "stall" | "time") => Error;
  readonly signal: AbortSignal | undefined;
}

/** Starts the watch; uses one timer at a time, however often `touch` is called. */
function watchStall({ clock, stallMs, maxMs, reason, signal }: StallWatchOptions): StallWatch {
  const call = new AbortController();
  const over = new AbortController();
  const endMs = clock.now().getTime() + maxMs;
  let lastMs = endMs - maxMs;
  const follow = (): void => call.abort(signal?.reason);
  if (signal?.aborted === true) follow();
  signal?.addEventListener("abort", follow, { once: true });

  const watch = async (): Promise<void> => {
    for (;;) {
      const nowMs = clock.now().getTime();
      if (nowMs >= lastMs + stallMs) return call.abort(reason("stall"));
      if (nowMs >= endMs) return call.abort(reason("time"));
      await clock.sleep(Math.min(lastMs + stallMs, endMs) - nowMs, over.signal);
    }
  };
  watch().catch(() => "stopped");

  return {
    signal: call.signal,
    touch: () => {
      lastMs = clock.now().getTime();
    },
    stop: () => {
      signal?.removeEventListener("abort", follow);
      // Without a reason, Node would create an error with a stack trace.
      over.abort("stopped");
    },
  };
}

/**
 * Yields the items of `source`. Throws the signal's reason as soon as it aborts, without waiting for a source that
 * hangs.
 */
async function* readUntilAborted<Item>(source: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      // Waits for the next event or the abort, so that an abort is noticed while the model sends nothing.
      const step = await untilAborted(iterator.next(), signal);
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    const closing = Promise.resolve(iterator.return?.()).catch(() => "the source was abandoned; its result is ignored");
    if (!signal.aborted) await closing;
  }
}
