// The turns that lines of input ask for, in order, one after the other.
// Invariant: at most `most` wait; whoever adds another one waits for room.

/** A turn to take: which line asked for it, and the signal that ends it alone. */
export interface QueuedTurn<Wish> {
  readonly line: number;
  readonly wish: Wish;
  readonly interruption: AbortController;
}

export interface TurnQueue<Wish> {
  /** Resolves when it is in, and others may be added. */
  add(turn: QueuedTurn<Wish>): Promise<void>;
  /** The turn that runs, else the next one; undefined when there is none. */
  first(): QueuedTurn<Wish> | undefined;
  /** No more come. */
  close(): void;
  /** Hands out one after the other until the queue is closed and empty. A turn has ended when the next one is asked for. */
  turns(): AsyncGenerator<QueuedTurn<Wish>, void>;
}

export function createTurnQueue<Wish>(most: number): TurnQueue<Wish> {
  const open: QueuedTurn<Wish>[] = [];
  let isClosed = false;
  let wake = (): void => undefined;
  let changed = new Promise<void>((resolve) => (wake = resolve));
  const tell = (): void => {
    wake();
    changed = new Promise<void>((resolve) => (wake = resolve));
  };
  return {
    async add(turn) {
      open.push(turn);
      tell();
      while (open.length >= most) await changed;
    },
    first: () => open[0],
    close() {
      isClosed = true;
      tell();
    },
    async *turns() {
      for (;;) {
        const [next] = open;
        if (next !== undefined) {
          yield next;
          open.shift();
          tell();
        } else if (isClosed) return;
        else await changed;
      }
    },
  };
}
