// Reads an iterable until a signal aborts, whether or not the iterable honours that signal itself.

/** What `source` yields. Throws the signal's reason as soon as it aborts, and does not wait for a source that hangs. */
export async function* readUntilAborted<Item>(source: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  const iterator = source[Symbol.asyncIterator]();
  const abort = abortOf(signal);
  try {
    for (;;) {
      // Both at once, so that the abort is seen while the source is silent.
      const step = await Promise.race([iterator.next(), abort.promise]);
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    abort.forget();
    const closing = Promise.resolve(iterator.return?.()).catch(
      () => "the source was given up; how it ended is of no use",
    );
    if (!signal.aborted) await closing;
  }
}

function abortOf(signal: AbortSignal): { readonly promise: Promise<never>; readonly forget: () => void } {
  let forget = (): void => undefined;
  const promise = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    forget = () => signal.removeEventListener("abort", onAbort);
  });
  // It may reject while nobody reads, between two events.
  promise.catch(() => "seen by the next race");
  return { promise, forget };
}
