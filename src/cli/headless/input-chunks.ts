// Standard input as chunks, until it ends or the read is aborted.
// Invariant: an aborted read closes the stream, so that nothing waits for it.
import type { Readable } from "node:stream";

/** Rejects with the signal's reason when aborted first. */
export async function* inputChunks(stdin: Readable, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  const stop = (): void => void stdin.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    signal.throwIfAborted();
    for await (const chunk of stdin) yield Buffer.from(chunk);
  } catch (error) {
    // A truncated stream throws its own error.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  signal.throwIfAborted();
}
