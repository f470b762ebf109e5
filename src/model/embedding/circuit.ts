// Defines a circuit breaker for a failing embedder or reranker, as a value with pure transitions. Also limits a call's time.
// Invariant: time and randomness are arguments. An open circuit admits no call, a half-open one a single call.
import type { Clock } from "../../base/clock.ts";
import { EmbeddingError } from "../../base/errors.ts";
import { untilAborted } from "../../base/waiting.ts";

export type Circuit =
  /** Calls are admitted; `failures` counts the last failures in a row. */
  | { readonly state: "closed"; readonly failures: number }
  /** No call is admitted before `untilMs`; `openings` counts how often the circuit has opened in a row. */
  | { readonly state: "open"; readonly untilMs: number; readonly openings: number }
  /** A single probe call is running. */
  | { readonly state: "half-open"; readonly openings: number };

export interface CircuitSettings {
  /** Number of failures in a row that opens the circuit. */
  readonly threshold: number;
  /** Maximum of the first pause, in milliseconds; the maximum doubles with each opening in a row, up to `maxMs`. */
  readonly baseMs: number;
  /** Maximum pause in milliseconds. */
  readonly maxMs: number;
}

export interface Moment {
  readonly nowMs: number;
  /** A random number from 0 up to 1. */
  readonly random: number;
}

/** The first state, and the state after a successful call, even one that was admitted before the circuit opened. */
export const closedCircuit: Circuit = { state: "closed", failures: 0 };

/** Returns whether a call is admitted now, and the new state. The first call after the pause is the probe. */
export function admit(circuit: Circuit, nowMs: number): { readonly circuit: Circuit; readonly isAdmitted: boolean } {
  switch (circuit.state) {
    case "closed":
      return { circuit, isAdmitted: true };
    case "half-open":
      return { circuit, isAdmitted: false };
    case "open":
      return nowMs < circuit.untilMs
        ? { circuit, isAdmitted: false }
        : { circuit: { state: "half-open", openings: circuit.openings }, isAdmitted: true };
  }
}

/** Returns the state after a failed call. The failure of a call that was admitted before the circuit opened has no effect. */
export function afterFailure(circuit: Circuit, moment: Moment, settings: CircuitSettings): Circuit {
  switch (circuit.state) {
    case "open":
      return circuit;
    case "half-open":
      return opened(circuit.openings + 1, moment, settings);
    case "closed": {
      const failures = circuit.failures + 1;
      return failures < settings.threshold ? { state: "closed", failures } : opened(1, moment, settings);
    }
  }
}

/** Returns the state after an aborted call, which says nothing about the embedder: the next call may be the probe. */
export function afterAbort(circuit: Circuit, nowMs: number): Circuit {
  return circuit.state === "half-open" ? { state: "open", untilMs: nowMs, openings: circuit.openings } : circuit;
}

/** Returns the milliseconds until a call may be admitted; while a probe call runs, `baseMs`. */
export function pauseOf(circuit: Circuit, nowMs: number, settings: CircuitSettings): number {
  switch (circuit.state) {
    case "closed":
      return 0;
    case "half-open":
      return settings.baseMs;
    case "open":
      return Math.max(0, circuit.untilMs - nowMs);
  }
}

// Returns the open state. The pause is random, between half the limit and the limit, so that programs retry at different times.
function opened(openings: number, { nowMs, random }: Moment, { baseMs, maxMs }: CircuitSettings): Circuit {
  const limitMs = Math.min(maxMs, baseMs * 2 ** (openings - 1));
  return { state: "open", openings, untilMs: nowMs + Math.round(limitMs * (0.5 + random / 2)) };
}

interface TimeLimit {
  /** The kind of the call, for the error message, such as `Embedding`. */
  readonly what: string;
  readonly clock: Clock;
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** If true, the timer of the limit does not keep the process alive. Default false. */
  readonly background?: boolean;
}

/** Resolves to the result of `work`, or rejects after the time-out, even if `work` ignores its signal. */
export async function withinTime<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  { what, clock, limitMs, signal, background = false }: TimeLimit,
): Promise<Result> {
  const over = new AbortController();
  const ended = new AbortController();
  const follow = (): void => over.abort(signal?.reason);
  signal?.addEventListener("abort", follow, { once: true });
  const late = clock.sleep(limitMs, ended.signal, { background }).then(
    () =>
      over.abort(new EmbeddingError("embedding_failed", `${what} timed out after ${Math.round(limitMs / 1000)} s.`)),
    () => "it finished in time",
  );
  try {
    return await untilAborted(work(over.signal), over.signal);
  } finally {
    signal?.removeEventListener("abort", follow);
    ended.abort();
    await late;
  }
}
