// One at a time, in the order of asking.
// Invariant: a failure of one entrant does not keep the next one out.

export interface Queue {
  /** Resolves when it is one's turn; the returned function lets the next one in. */
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
