// Runs background work, which a runtime finishes before it closes.
// Invariant: a failure of background work is logged and fails nothing else.
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/thrown-values.ts";

export interface BackgroundWork {
  /** Starts `work` and returns at once. A failure is logged in a line that begins with `name`. */
  run(name: string, work: () => Promise<void>): void;
  /** Runs `work` unless work with that name has begun in the last `ms` milliseconds. */
  runAfterPause(name: string, pause: { readonly ms: number; readonly now: Date }, work: () => Promise<void>): void;
  /**
   * Runs `work` after `ms` milliseconds without another call of `runWhenIdle` or `interrupt` for the name. Such a call,
   * or closing, ends the wait or aborts the signal of the work. Aborted work is not logged as failed.
   */
  runWhenIdle(name: string, ms: number, work: (signal: AbortSignal) => Promise<void>): void;
  interrupt(name: string): void;
  /** Runs `cleanUp` once: when the runtime closes or the returned function is called; at once in a closed runtime. */
  atClose(cleanUp: () => Promise<void>): () => Promise<void>;
  /** Resolves when no work is running. */
  idle(): Promise<void>;
  /**
   * Waits like `idle`, and runs each registered clean-up once. Throws the error of a clean-up; a second call runs the remaining
   * clean-ups.
   */
  close(): Promise<void>;
}

export function createBackgroundWork({
  log,
  clock,
}: {
  readonly log: (line: string) => void;
  readonly clock: Clock;
}): BackgroundWork {
  const running = new Set<Promise<void>>();
  const cleanUps = new Set<() => Promise<void>>();
  const idle = async (): Promise<void> => {
    // Work may begin other work.
    while (running.size > 0) await Promise.all(running);
  };
  let isClosed = false;
  const nextAt = new Map<string, number>();
  const waiting = new Map<string, AbortController>();
  const interrupt = (name: string): void => waiting.get(name)?.abort();
  const run: BackgroundWork["run"] = (name, work) => {
    const working = work()
      .catch((error: unknown) => log(`${name} failed: ${messageOf(error)}`))
      .finally(() => running.delete(working));
    running.add(working);
  };
  return {
    run,
    interrupt,
    runWhenIdle(name, ms, work) {
      interrupt(name);
      const controller = new AbortController();
      const { signal } = controller;
      waiting.set(name, controller);
      const unlessAborted = (error: unknown): void => {
        if (!signal.aborted) throw error;
      };
      const isOver = clock.sleep(ms, signal, { background: true }).then(() => true, unlessAborted);
      void isOver.then((over) => {
        if (over === true && !signal.aborted) run(name, () => work(signal).catch(unlessAborted));
      });
    },
    runAfterPause(name, { ms, now }, work) {
      if (now.getTime() < (nextAt.get(name) ?? 0)) return;
      nextAt.set(name, now.getTime() + ms);
      run(name, work);
    },
    atClose(cleanUp) {
      const once = async (): Promise<void> => {
        if (cleanUps.delete(once)) await cleanUp();
      };
      cleanUps.add(once);
      if (isClosed) run("A clean-up", once);
      return once;
    },
    idle,
    async close() {
      for (const controller of waiting.values()) controller.abort();
      // Closing does not wait like `idle`: work that begins other work repeatedly is ended only by its clean-up.
      await Promise.all(running);
      isClosed = true;
      for (const cleanUp of cleanUps) await cleanUp();
    },
  };
}
