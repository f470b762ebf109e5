// A mutex with a first-come, first-served queue.
// Invariant: a failing holder does not block the next one.

export interface Queue {
  /** Resolves when it is the caller's turn; the returned function releases the mutex. */
  enter(): Promise<() => void>;
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createQueue(): Queue {
  let tail: Promise<void> = Promise.resolve();
  const enter = async (): Promise<() => void> => {
    const before = tail;
    let release = (): void => undefined;
    tail = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    return release;
  };
  return {
    enter,
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
