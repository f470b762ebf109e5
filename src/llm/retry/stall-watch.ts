// Notices a model call from which nothing comes any more, and aborts it.
import type { Clock } from "../../base/clock.ts";

export interface StallWatch {
  /** Aborts when the caller's signal does (with its reason), or when nothing came for too long (with `onStall`'s). */
  readonly signal: AbortSignal;
  /** Something came. */
  readonly touch: () => void;
  /** Ends the watch; must be called. */
  readonly stop: () => void;
}

export interface StallWatchOptions {
  readonly clock: Clock;
  readonly stallMs: number;
  /** What to abort with. */
  readonly reason: () => Error;
  readonly signal: AbortSignal | undefined;
}

/** Begins to watch; one timer at a time, however often `touch` is called. */
export function watchStall({ clock, stallMs, reason, signal }: StallWatchOptions): StallWatch {
  const call = new AbortController();
  const over = new AbortController();
  let lastMs = clock.now().getTime();
  const follow = (): void => call.abort(signal?.reason);
  if (signal?.aborted === true) follow();
  signal?.addEventListener("abort", follow, { once: true });

  const watch = async (): Promise<void> => {
    for (;;) {
      const leftMs = lastMs + stallMs - clock.now().getTime();
      if (leftMs <= 0) return call.abort(reason());
      await clock.sleep(leftMs, over.signal);
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
