// Standard input as it comes, until it ends or nobody wants it any more.
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
    // A stream that is cut off says so in its own words.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  signal.throwIfAborted();
}
