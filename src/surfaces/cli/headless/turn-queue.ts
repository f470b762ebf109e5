// Queues the turns of input lines and runs them one after the other.
// Invariant: at most `max` turns wait; `add` waits for room.

/** A queued turn: its input line, and the signal that ends only this turn. */
export interface QueuedTurn<Input> {
  readonly line: number;
  readonly input: Input;
  readonly interruption: AbortController;
}

export interface TurnQueue<Input> {
  /** Resolves when the turn is queued and there is room for another. */
  add(turn: QueuedTurn<Input>): Promise<void>;
  /** Returns the running turn, or the next one; undefined if there is none. */
  first(): QueuedTurn<Input> | undefined;
  /** Closes the queue: no more turns will be added. */
  close(): void;
  /**
   * Yields the turns in order until the queue is closed and empty. Requesting the next turn marks the previous one as ended.
   */
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
