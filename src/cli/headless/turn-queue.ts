// The turns that lines of input ask for, in order, one after the other.
// Invariant: at most `max` wait; whoever adds another one waits for room.

/** A turn to take: which line asked for it, and the signal that ends it alone. */
export interface QueuedTurn<Input> {
  readonly line: number;
  readonly input: Input;
  readonly interruption: AbortController;
}

export interface TurnQueue<Input> {
  /** Resolves when it is in, and others may be added. */
  add(turn: QueuedTurn<Input>): Promise<void>;
  /** The turn that runs, else the next one; undefined when there is none. */
  first(): QueuedTurn<Input> | undefined;
  /** No more come. */
  close(): void;
  /** Hands out one after the other until the queue is closed and empty. A turn has ended when the next one is asked for. */
  turns(): AsyncGenerator<QueuedTurn<Input>, void>;
}

export function createTurnQueue<Input>(max: number): TurnQueue<Input> {
  const open: QueuedTurn<Input>[] = [];
  let isClosed = false;
  let wake = (): void => undefined;
  let changed = new Promise<void>((resolve) => (wake = resolve));
  const report = (): void => {
    wake();
    changed = new Promise<void>((resolve) => (wake = resolve));
  };
  return {
    async add(turn) {
      open.push(turn);
      report();
      while (open.length >= max) await changed;
    },
    first: () => open[0],
    close() {
      isClosed = true;
      report();
    },
    async *turns() {
      for (;;) {
        const [next] = open;
        if (next !== undefined) {
          yield next;
          open.shift();
          report();
        } else if (isClosed) return;
        else await changed;
      }
    },
  };
}
