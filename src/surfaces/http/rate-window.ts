// Counts events by name in fixed windows of time. The counts of a window are dropped when it ends.
// Invariant: only names with events in the current window take memory: one number each.
import type { Clock } from "../../base/clock.ts";

export interface RateWindow {
  /** Counts one event under this name. */
  add(name: string): void;
  /** Returns the milliseconds until the window ends if the name has reached its maximum, otherwise 0. */
  waitMs(name: string): number;
}

/** Creates the counters. `max`: maximum events of a name in `windowMs` milliseconds. */
export function createRateWindow(
  { max, windowMs }: { readonly max: number; readonly windowMs: number },
  clock: Pick<Clock, "now">,
): RateWindow {
  let current = 0;
  let counts = new Map<string, number>();
  const moveOn = (): number => {
    const now = clock.now().getTime();
    const window = Math.floor(now / windowMs);
    if (window !== current) {
      current = window;
      counts = new Map();
    }
    return (window + 1) * windowMs - now;
  };
  return {
    add(name) {
      moveOn();
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    waitMs(name) {
      const left = moveOn();
      return (counts.get(name) ?? 0) < max ? 0 : left;
    },
  };
}
