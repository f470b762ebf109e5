// A mutex with a first-come, first-served queue.
// Invariant: a failing holder does not block the next one.

export interface Queue {
  /** Resolves when it is the caller's turn; the returned function releases the mutex. */
  enter(): Promise<() => void>;
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Number of callers that have entered or wait to enter. */
  readonly size: number;
}

export function createQueue(): Queue {
  let tail: Promise<void> = Promise.resolve();
  let size = 0;
  const enter = async (): Promise<() => void> => {
    const before = tail;
    let release = (): void => undefined;
    size += 1;
    tail = new Promise((resolve) => {
      release = () => {
        size -= 1;
        resolve();
      };
    });
    await before;
    return release;
  };
  return {
    enter,
    get size() {
      return size;
    },
    async run(work) {
      const release = await enter();
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
