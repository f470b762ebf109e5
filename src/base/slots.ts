// Limits how many pieces of work run at the same time; the others wait in their order.
// Invariant: a slot is freed however its work ends; work that is given up while it waits takes none.
import { untilAborted } from "./until-aborted.ts";

export interface Slots {
  /** Throws the signal's reason, at once, if it is aborted while the work waits. */
  use<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  const give = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const take = async (signal: AbortSignal | undefined): Promise<void> => {
    if (free > 0) {
      free -= 1;
      return;
    }
    let enter = (): void => undefined;
    const entered = new Promise<void>((resolve) => (enter = resolve));
    waiting.push(enter);
    try {
      await (signal === undefined ? entered : untilAborted(entered, signal));
    } catch (error) {
      const at = waiting.indexOf(enter);
      if (at === -1) give();
      else waiting.splice(at, 1);
      throw error;
    }
  };
  return {
    async use(work, signal) {
      signal?.throwIfAborted();
      await take(signal);
      try {
        signal?.throwIfAborted();
        return await work();
      } finally {
        give();
      }
    },
  };
}
