// Reads standard input as chunks, until it ends or the read is aborted.
// Invariant: an aborted read closes the stream, so that nothing waits for it.
import type { Readable } from "node:stream";

/** Yields the chunks. Throws the signal's reason if it aborts before the end. */
export async function* inputChunks(stdin: Readable, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  const stop = (): void => void stdin.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    signal.throwIfAborted();
    for await (const chunk of stdin) yield Buffer.from(chunk);
  } catch (error) {
    // The destroyed stream throws its own error, which the signal's reason replaces.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  signal.throwIfAborted();
}
