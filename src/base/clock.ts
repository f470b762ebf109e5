// Defines the clock by which code reads the time and waits. Code receives it, so that tests are deterministic. Only two
// functions wait in real time, for other processes and sockets.

/** The current time, and a way to wait. */
export interface Clock {
  now(): Date;
  /**
   * Resolves after `ms` milliseconds, at the latest after 24 days; rejects with the signal's reason if it is aborted
   * first. A background wait does not keep the process alive.
   */
  sleep(ms: number, signal?: AbortSignal, options?: { readonly background?: boolean }): Promise<void>;
}

/** The longest timer of Node in milliseconds (24 days): a longer one, such as `Infinity`, ends after a millisecond. */
const maxTimerMs = 2_147_483_647;

export const systemClock: Clock = {
  now: () => new Date(),
  sleep: (ms, signal, { background = false } = {}) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const onOver = (): void => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      };
      const timer = setTimeout(onOver, Math.min(ms, maxTimerMs));
      if (background) timer.unref();
      signal?.addEventListener("abort", onAbort, { once: true });
    }),
};

/** Resolves when `promise` does, at the latest after `ms` milliseconds of real time, or after 24 days. */
export async function within(promise: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, maxTimerMs));
  });
  await Promise.race([promise, over]);
  clearTimeout(timer);
}

/**
 * Runs `work` every `ms` milliseconds until the returned function is called. Runs never overlap, and the timer does not
 * keep the process alive. The first failure ends the runs and is passed to `onFailure`.
 */
export function every(
  ms: number,
  work: () => Promise<void>,
  onFailure: (error: unknown) => void = () => undefined,
): () => void {
  let isRunning = false;
  const stop = (): void => clearInterval(timer);
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    work()
      .catch((error: unknown) => {
        stop();
        onFailure(error);
      })
      .finally(() => {
        isRunning = false;
      });
  }, ms);
  timer.unref();
  return stop;
}
