// Converts callbacks to an async iterable.
// Invariant: everything emitted is read in order, then the failure, if there was one.

export interface EventPipe<Item> {
  readonly emit: (item: Item) => void;
  readonly end: () => void;
  /** The reader throws this error after reading everything before. */
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
