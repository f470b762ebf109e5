// The time that calls of one server may take, which stands still while the server has asked a question.
// Invariant: a call ends after its time, and a question alone ends after its own.

export interface CallTimer {
  /** Aborted when the time is over. */
  readonly signal: AbortSignal;
  pause(): void;
  resume(): void;
  stop(): void;
}

export function startCallTimer(milliseconds: number): CallTimer {
  const controller = new AbortController();
  let left = milliseconds;
  let startedAt = performance.now();
  let timer: NodeJS.Timeout | null = null;
  const run = (): void => {
    startedAt = performance.now();
    timer = setTimeout(() => controller.abort(), left);
  };
  run();
  return {
    signal: controller.signal,
    pause() {
      if (timer === null) return;
      clearTimeout(timer);
      timer = null;
      left = Math.max(0, left - (performance.now() - startedAt));
    },
    resume() {
      if (timer === null) run();
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}
