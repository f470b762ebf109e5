// Places for work that is limited in number, for several who share them.
// Invariant: nobody has more places than the maximum of one, and of those who wait, each gets a place before another gets a second.

export interface FairPlaces {
  /** Waits for a place of the one with this name. Call the returned function once, to give the place back. */
  take(name: string): Promise<() => void>;
  /** Returns how many callers wait. */
  waiting(): number;
  /** Resolves when no place is in use. */
  allFree(): Promise<void>;
}

/** `size`: all places; `maxOfOne`: those that one may have at a time. */
export function createFairPlaces({ size, maxOfOne }: { readonly size: number; readonly maxOfOne: number }): FairPlaces {
  /** Callers that wait, by name: the name that gets the next place first, and its callers in their order. */
  const queues = new Map<string, (() => void)[]>();
  const used = new Map<string, number>();
  const watching: (() => void)[] = [];
  let inUse = 0;

  const usedBy = (name: string): number => used.get(name) ?? 0;
  const isFree = (name: string): boolean => inUse < size && usedBy(name) < maxOfOne;

  function occupy(name: string): void {
    inUse += 1;
    used.set(name, usedBy(name) + 1);
  }

  function startNext(): void {
    for (const [name, queue] of queues) {
      if (!isFree(name)) continue;
      queues.delete(name);
      const start = queue.shift()!;
      // Behind all others.
      if (queue.length > 0) queues.set(name, queue);
      occupy(name);
      start();
      return;
    }
  }

  function free(name: string): void {
    inUse -= 1;
    if (usedBy(name) === 1) used.delete(name);
    else used.set(name, usedBy(name) - 1);
    startNext();
    if (inUse === 0) for (const report of watching.splice(0)) report();
  }

  return {
    waiting: () => [...queues.values()].reduce((sum, { length }) => sum + length, 0),
    async take(name) {
      if (isFree(name)) occupy(name);
      else {
        const queue = queues.get(name) ?? [];
        queues.set(name, queue);
        await new Promise<void>((start) => queue.push(start));
      }
      return () => free(name);
    },
    async allFree() {
      if (inUse > 0) return new Promise<void>((resolve) => watching.push(resolve));
    },
  };
}
