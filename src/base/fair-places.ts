// Limits concurrent work to a number of places, shared fairly between names, such as users.
// Invariant: no name has more than `maxOfOne` places; waiting names take turns, so that each of them gets a place
// before any of them gets a second place.

export interface FairPlaces {
  /** Waits for a place and takes it for this name. Returns a function that gives the place back; call it once. */
  take(name: string): Promise<() => void>;
  /** Returns how many callers wait. */
  waiting(): number;
  /** Resolves when no place is in use. */
  allFree(): Promise<void>;
}

/** Creates `size` places, of which one name can hold `maxOfOne` at a time. */
export function createFairPlaces({ size, maxOfOne }: { readonly size: number; readonly maxOfOne: number }): FairPlaces {
  /** The waiting callers by name, in the order of their calls. The next place goes to the first name below `maxOfOne`. */
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
      // The name is inserted again at the end, so that all other names come before it.
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
