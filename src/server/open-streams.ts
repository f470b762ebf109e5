// Counts the streams that are open, so that a shutdown can wait for them.
// Invariant: each stream is counted from its beginning to its end, once.
import { within } from "../base/clock.ts";

export interface OpenStreams {
  /** Counts a stream; returns what to call when it has ended. */
  begin(): () => void;
  /** Resolves when no stream is open, or after `ms` milliseconds. */
  ended(ms: number): Promise<void>;
}

export function createOpenStreams(): OpenStreams {
  let open = 0;
  let notify: (() => void) | null = null;
  return {
    begin() {
      open += 1;
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        open -= 1;
        if (open === 0) notify?.();
      };
    },
    async ended(ms) {
      if (open === 0) return;
      const empty = new Promise<void>((resolve) => {
        notify = resolve;
      });
      await within(empty, ms);
    },
  };
}
