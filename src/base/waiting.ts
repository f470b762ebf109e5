// Waits until work ends or a signal aborts, for one of a number of slots, and for a mutex, alone or by key.
// Invariant: first come, first served; a slot is freed however its work ends, and work that is aborted while it waits
// takes no slot.

/** Settles like the work, but rejects with the signal's reason if the signal aborts first. The work then goes on. */
export async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

export interface Slots {
  /** Runs the work when a slot is free. Throws the signal's reason at once if the signal aborts while the work waits. */
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

export interface Queue {
  /**
   * Resolves when it is the caller's turn; the returned function releases the mutex. Rejects with the signal's reason at once
   * if the signal aborts while the caller waits.
   */
  enter(signal?: AbortSignal): Promise<() => void>;
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Number of callers that have entered or wait to enter. */
  readonly size: number;
}

export function createQueue(): Queue {
  let tail: Promise<void> = Promise.resolve();
  let size = 0;
  const enter = async (signal?: AbortSignal): Promise<() => void> => {
    const before = tail;
    let pass = (): void => undefined;
    tail = new Promise((resolve) => (pass = resolve));
    size += 1;
    try {
      await (signal === undefined ? before : untilAborted(before, signal));
    } catch (error) {
      size -= 1;
      void before.then(pass);
      throw error;
    }
    return () => {
      size -= 1;
      pass();
    };
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

export interface Queues {
  /** Runs the work when all earlier work with this key has ended. */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

/** Creates queues by key, each on demand. A queue is removed when it is empty. */
export function createQueues(): Queues {
  const queues = new Map<string, Queue>();
  return {
    async run(key, work) {
      const queue = queues.get(key) ?? createQueue();
      queues.set(key, queue);
      try {
        return await queue.run(work);
      } finally {
        if (queue.size === 0) queues.delete(key);
      }
    },
  };
}
