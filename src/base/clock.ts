// Time as a dependency: whatever needs to know or wait gets a Clock, so that tests are exact.

/** The wall clock and a way to wait on it. */
export interface Clock {
  now(): Date;
  /**
   * Resolves after `ms` milliseconds; rejects with the signal's reason when aborted first. A wait in the background does not
   * keep the process alive.
   */
  sleep(ms: number, signal?: AbortSignal, options?: { readonly background?: boolean }): Promise<void>;
}

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
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      }, ms);
      if (background) timer.unref();
      signal?.addEventListener("abort", onAbort, { once: true });
    }),
};
