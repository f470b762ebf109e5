// Clocks for tests: one that stands still until it is moved, and one for which short waits are over at once.
import type { Clock } from "../../src/base/clock.ts";

export interface ManualClock extends Clock {
  /** Every wait that was asked for, in milliseconds. */
  readonly waits: readonly number[];
  /** Moves the time on and ends the waits that are over by then. */
  advance(ms: number): Promise<void>;
}

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** Resolves when `begin`'s argument is called; rejects with the signal's reason if it is aborted first. */
function untilWoken(signal: AbortSignal | undefined, begin: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const onAbort = (): void => reject(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    begin(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
  });
}

/** Time passes only by `advance`. */
export function createManualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
  let nowMs = start;
  const waits: number[] = [];
  let sleepers: Sleeper[] = [];
  return {
    waits,
    now: () => new Date(nowMs),
    sleep: (ms, signal) => {
      waits.push(ms);
      return untilWoken(signal, (wake) => sleepers.push({ until: nowMs + ms, wake }));
    },
    advance: async (ms) => {
      nowMs += ms;
      const over = sleepers.filter((sleeper) => sleeper.until <= nowMs);
      sleepers = sleepers.filter((sleeper) => sleeper.until > nowMs);
      for (const sleeper of over) sleeper.wake();
      await settle();
    },
  };
}

/** The real time, but waits of up to `longestMs` are over at once; longer ones (time-outs) last until they are aborted. */
export function createHurriedClock(longestMs = 60_000): Pick<ManualClock, "waits"> & Clock {
  const waits: number[] = [];
  return {
    waits,
    now: () => new Date(),
    sleep: (ms, signal) => {
      if (ms > longestMs)
        return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      waits.push(ms);
      return Promise.resolve();
    },
  };
}

/** Waits of up to 7 s take a millisecond; longer ones (time-outs) last until they are aborted. */
export const createBriefClock = (waits: number[] = [], now = () => new Date()): Clock => ({
  now,
  sleep: (ms, signal) => {
    waits.push(ms);
    return untilWoken(signal, (wake) => {
      if (ms <= 7000) setTimeout(wake, 1);
    });
  },
});

/** Lets everything that is ready run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
