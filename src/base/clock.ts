// Time as a dependency: code that reads time or waits gets a Clock, so that tests are deterministic.

/** The wall clock and a way to wait on it. */
export interface Clock {
  now(): Date;
  /**
   * Resolves after `ms` milliseconds; rejects with the signal's reason if it is aborted first. A background wait does
   * not keep the process alive.
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
