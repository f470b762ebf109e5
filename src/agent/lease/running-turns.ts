// Tracks the turns and changes that run in one runtime, so that closing the runtime can wait for them.
// Invariant: none begins after `close` was called, and running ones are interrupted before the store is closed.
import { systemClock } from "../../base/clock.ts";
import { RequestError } from "../../errors.ts";

export interface RunningTurns {
  /** Throws RequestError `runtime_closing`, with nothing written, after `close` was called. */
  enter(): RunningTurn;
  /**
   * Waits up to `graceMs` milliseconds for running turns, then interrupts them, which commits their partial replies.
   * Resolves when none is running, at the latest `interruptedMs` after the interruption.
   */
  close(graceMs: number): Promise<void>;
}

export interface RunningTurn {
  /** Aborted when the runtime stops waiting for the turn. */
  readonly signal: AbortSignal;
  leave(): void;
}

/** Milliseconds for the last commit of interrupted turns. A turn whose events are not read cannot commit. */
const interruptedMs = 2000;

export function createRunningTurns(): RunningTurns {
  const running = new Set<RunningTurn>();
  const interruption = new AbortController();
  let isClosing = false;
  let reportEmpty: () => void = () => undefined;

  /** Resolves when no turn is running, or after `ms`. */
  async function allLeft(ms: number): Promise<void> {
    if (running.size === 0) return;
    const timer = new AbortController();
    const empty = new Promise<void>((resolve) => {
      reportEmpty = resolve;
    });
    await Promise.race([empty, systemClock.sleep(ms, timer.signal).catch(() => undefined)]);
    timer.abort();
  }

  return {
    enter() {
      if (isClosing) {
        throw new RequestError("runtime_closing", "The runtime is closing: no new turn begins. Nothing was written.");
      }
      const turn: RunningTurn = {
        signal: interruption.signal,
        leave() {
          running.delete(turn);
          if (running.size === 0) reportEmpty();
        },
      };
      running.add(turn);
      return turn;
    },
    async close(graceMs) {
      isClosing = true;
      await allLeft(graceMs);
      interruption.abort();
      await allLeft(interruptedMs);
    },
  };
}
