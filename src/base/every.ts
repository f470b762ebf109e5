// Work that repeats while something else goes on.
// Invariant: it never overlaps with itself, and never keeps the process alive.

/** Runs `work` every `ms` milliseconds until the returned function is called. A failure ends it and is handed to `onFailure`. */
export function every(ms: number, work: () => Promise<void>, onFailure: (error: unknown) => void): () => void {
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
