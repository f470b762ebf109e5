// A clock for time-outs: short waits are over at once, long ones when the test says that nothing came for so long.
import type { Clock } from "../../src/base/clock.ts";

export interface StallingClock extends Clock {
  /** Moves the time on by two minutes and ends the waits for time-outs. */
  stall(): void;
  /** Moves the time on by half a minute. */
  pass(): void;
}

const longestPauseMs = 60_000;
const stallMs = 120_000;

export function createStallingClock(): StallingClock {
  let aheadMs = 0;
  const moveOn = (ms: number): void => {
    aheadMs += ms;
    for (const wake of sleepers) wake();
    sleepers.clear();
  };
  const sleepers = new Set<() => void>();
  return {
    now: () => new Date(Date.now() + aheadMs),
    sleep: (ms, signal) => {
      if (ms <= longestPauseMs) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const wake = (): void => resolve();
        sleepers.add(wake);
        signal?.addEventListener("abort", () => {
          sleepers.delete(wake);
          reject(signal.reason);
        });
      });
    },
    stall: () => moveOn(stallMs),
    pass: () => moveOn(30_000),
  };
}
