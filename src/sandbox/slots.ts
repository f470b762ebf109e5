// Limits how many pieces of work run at the same time; the others wait in their order.
// Invariant: a slot is freed however its work ends.

export interface Slots {
  /** Throws the signal's reason if it is aborted while the work waits. */
  use<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  const take = (): Promise<void> => {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => waiting.push(resolve));
  };
  const give = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async use(work, signal) {
      await take();
      try {
        signal?.throwIfAborted();
        return await work();
      } finally {
        give();
      }
    },
  };
}
