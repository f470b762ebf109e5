// Runs background work, which a runtime finishes before it closes.
// Invariant: a failure of background work is logged and fails nothing else.
import type { Clock } from "../../base/clock.ts";
import { RequestError } from "../../base/errors.ts";
import { messageOf } from "../../base/thrown-values.ts";

export interface InterruptingStage {
  beforeTurn?: (() => void) | undefined;
}

export interface Interruption {
  readonly stage: InterruptingStage;
  readonly reason: () => Error;
}

export interface BackgroundWork {
  /** Starts `work` and returns at once. A failure is logged in a line that begins with `name`. */
  run(name: string, work: () => Promise<void>): void;
  /** Runs `work` unless work with that name has begun in the last `ms` milliseconds. */
  runAfterPause(name: string, pause: { readonly ms: number; readonly now: Date }, work: () => Promise<void>): void;
  /**
   * Runs `work` after `ms` milliseconds without a call of `runWhenIdle` or `interrupt` for the name. A later call, or closing,
   * ends the wait or aborts the signal of the running work. Aborted work is not logged as failed.
   */
  runWhenIdle(name: string, ms: number, work: (signal: AbortSignal) => Promise<void>): void;
  /**
   * Runs `work` now, as part of the caller's work. Its signal aborts with `reason()` when `stage.beforeTurn` is
   * called, and with RequestError `runtime_closing` when the runtime closes.
   */
  runInterruptibly<Result>(
    { stage, reason }: Interruption,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result>;
  /** Returns the turn stage for work of this name; always the same object. While the work runs, `beforeTurn` ends it. */
  stageOf(name: string): InterruptingStage;
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

interface BackgroundDeps {
  readonly log: (line: string) => void;
  readonly clock: Clock;
}

export function createBackgroundWork({ log, clock }: BackgroundDeps): BackgroundWork {
  const running = new Set<Promise<void>>();
  const cleanUps = new Set<() => Promise<void>>();
  const idle = async (): Promise<void> => {
    // Repeats the wait, because work may begin other work.
    while (running.size > 0) await Promise.all(running);
  };
  let isClosed = false;
  const nextAt = new Map<string, number>();
  const waiting = new Map<string, AbortController>();
  const interrupt = (name: string): void => waiting.get(name)?.abort();
  const interruptions = createInterruptions();
  const run: BackgroundWork["run"] = (name, work) => {
    const working = work()
      .catch((error: unknown) => log(`${name} failed: ${messageOf(error)}`))
      .finally(() => running.delete(working));
    running.add(working);
  };
  return {
    run,
    runInterruptibly: interruptions.run,
    stageOf: interruptions.stageOf,
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
      interruptions.close();
      // Closing waits only once: work that begins other work again and again is ended only by its clean-up.
      await Promise.all(running);
      isClosed = true;
      for (const cleanUp of cleanUps) await cleanUp();
    },
  };
}

function createInterruptions(): Pick<BackgroundWork, "stageOf"> & {
  readonly run: BackgroundWork["runInterruptibly"];
  close(): void;
} {
  const running = new Map<AbortController, Interruption>();
  const stages = new Map<string, InterruptingStage>();
  let isClosing = false;
  const interrupt = (stage: InterruptingStage): void => {
    for (const [controller, one] of running) if (one.stage === stage) controller.abort(one.reason());
  };
  return {
    stageOf(name) {
      const stage = stages.get(name) ?? {};
      stages.set(name, stage);
      return stage;
    },
    async run(interruption, work) {
      const { stage } = interruption;
      const controller = new AbortController();
      // Work that begins while the runtime closes must not delay the closing.
      if (isClosing) controller.abort(closingError());
      running.set(controller, interruption);
      stage.beforeTurn = () => interrupt(stage);
      try {
        return await work(controller.signal);
      } finally {
        running.delete(controller);
        if (![...running.values()].some((other) => other.stage === stage)) stage.beforeTurn = undefined;
      }
    },
    close() {
      isClosing = true;
      for (const controller of running.keys()) controller.abort(closingError());
    },
  };
}

function closingError(): RequestError {
  return new RequestError("runtime_closing", "The runtime closed before the work ended. Committed changes stay.");
}
