// Notices a model call from which nothing comes any more, or that does not end, and aborts it.
import type { Clock } from "../../base/clock.ts";

export interface StallWatch {
  /** Aborts when the caller's signal does (with its reason), or when the call is over its time (with `reason`'s). */
  readonly signal: AbortSignal;
  /** Something came. */
  readonly touch: () => void;
  /** Ends the watch; must be called. */
  readonly stop: () => void;
}

export interface StallWatchOptions {
  readonly clock: Clock;
  readonly stallMs: number;
  /** How long the whole call may take. */
  readonly maxMs: number;
  /** What to abort with: nothing came for too long, or the call took too long. */
  readonly reason: (over: "stall" | "time") => Error;
  readonly signal: AbortSignal | undefined;
}

/** Begins to watch; one timer at a time, however often `touch` is called. */
export function watchStall({ clock, stallMs, maxMs, reason, signal }: StallWatchOptions): StallWatch {
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
      over.abort();
    },
  };
}
