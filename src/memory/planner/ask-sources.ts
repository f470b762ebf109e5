// Queries several sources of a query planner (memories that it searches) concurrently, each with a time-out.
// Invariant: a source that fails or is late loses only its own answer; an abort of the whole query is rethrown.
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/thrown-values.ts";
import { untilAborted } from "../../base/waiting.ts";

export interface Asking {
  readonly clock: Clock;
  /** Time-out for each source, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The result of asking a source. `late`: the source did not answer in time. */
export interface SourceOutcome<Answer> {
  readonly status: "ok" | "failed" | "late";
  /** Milliseconds until the source answered, failed or timed out. */
  readonly ms: number;
  /** Null unless the status is `ok`. */
  readonly answer: Answer | null;
  /** Why there is no answer, as text; null if the status is `ok`. */
  readonly failure: string | null;
}

/**
 * Returns the outcome of asking a source. Throws only the signal's reason. The signal passed to `ask` aborts when its answer is
 * no longer needed.
 */
export async function askSource<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer>,
  { clock, timeoutMs, signal }: Asking,
): Promise<SourceOutcome<Answer>> {
  signal?.throwIfAborted();
  const started = clock.now().getTime();
  const elapsed = (): number => clock.now().getTime() - started;
  const over = new AbortController();
  const ended = new AbortController();
  const follow = (): void => over.abort(signal?.reason);
  signal?.addEventListener("abort", follow, { once: true });
  let isLate = false;
  // This sleep keeps the process alive until the time-out: a source that hangs may have no timer or socket that does.
  const watch = clock.sleep(timeoutMs, ended.signal).then(
    () => {
      isLate = true;
      over.abort();
    },
    () => "it answered in time",
  );
  try {
    // Handles a source that throws synchronously like one that rejects.
    const answer = await untilAborted((async () => ask(over.signal))(), over.signal);
    return { status: "ok", ms: elapsed(), answer, failure: null };
  } catch (error) {
    signal?.throwIfAborted();
    if (isLate) return { status: "late", ms: elapsed(), answer: null, failure: `no answer in ${timeoutMs} ms` };
    return { status: "failed", ms: elapsed(), answer: null, failure: messageOf(error) };
  } finally {
    signal?.removeEventListener("abort", follow);
    ended.abort();
    await watch;
  }
}
