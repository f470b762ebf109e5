// Asks several sources side by side, each for as long as it may take.
// Invariant: a source that fails or is late costs its own answer and nothing else; an abort of the whole passes through.
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/error-message.ts";
import { untilAborted } from "../../base/until-aborted.ts";

export interface Asking {
  readonly clock: Clock;
  /** Milliseconds for each. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** How a source was asked: `late`: it did not answer in time. */
export interface SourceOutcome<Answer> {
  readonly status: "ok" | "failed" | "late";
  /** Milliseconds until it had answered, failed, or was given up. */
  readonly ms: number;
  /** Null unless it is `ok`. */
  readonly answer: Answer | null;
  /** What to say of a failure; null when it is `ok`. */
  readonly failure: string | null;
}

/** Throws the signal's reason, and nothing else. `ask` is handed a signal that aborts when nobody waits any more. */
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
  // Not in the background: the caller waits for this limit, and a source that hangs may be all that the process does.
  const watch = clock.sleep(timeoutMs, ended.signal).then(
    () => {
      isLate = true;
      over.abort();
    },
    () => "it answered in time",
  );
  try {
    // A source that throws at once is no different from one that rejects.
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
