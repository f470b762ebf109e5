// What is told by calling back, as something to read from.
// Invariant: everything that was told is read in its order, then the failure, if there was one.

export interface EventPipe<Item> {
  readonly emit: (item: Item) => void;
  readonly end: () => void;
  /** What the reader throws when it has read everything before. */
  readonly fail: (error: unknown) => void;
  readonly read: () => AsyncGenerator<Item>;
}

export function createEventPipe<Item>(): EventPipe<Item> {
  const waiting: Item[] = [];
  let ending: { readonly error?: unknown } | null = null;
  let wake = (): void => undefined;

  const finish = (how: { readonly error?: unknown }): void => {
    ending ??= how;
    wake();
  };

  return {
    emit: (item) => {
      waiting.push(item);
      wake();
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
    async *read() {
      for (;;) {
        for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) yield item;
        if (ending !== null) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if ("error" in ending) throw ending.error;
    },
  };
}
