// When a failing embedder is called and when it is left alone: a circuit breaker as a value and its transitions.
// Invariant: pure; time and chance are arguments. While it is open nothing is let through, and while it is half open one call.

export type Circuit =
  /** Calls go through; so many in a row have failed. */
  | { readonly state: "closed"; readonly failures: number }
  /** No call goes through before `untilMs`; it was opened so many times in a row. */
  | { readonly state: "open"; readonly untilMs: number; readonly openings: number }
  /** One call is under way that decides. */
  | { readonly state: "half-open"; readonly openings: number };

export interface CircuitSettings {
  /** Failures in a row that open it. */
  readonly threshold: number;
  /** The longest first pause; it doubles with each opening in a row. */
  readonly baseMs: number;
  /** The longest pause of all. */
  readonly maxMs: number;
}

export interface Moment {
  readonly nowMs: number;
  /** From 0 up to 1. */
  readonly random: number;
}

export const closedCircuit: Circuit = { state: "closed", failures: 0 };

/** Whether a call may be made now. The first one after the pause is the probe. */
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

/** After a call that failed. One that was let through before the circuit opened changes nothing any more. */
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

/** After a call that went well, whenever it was let through. */
export function afterSuccess(): Circuit {
  return closedCircuit;
}

/** After a call whose caller gave it up, which says nothing about the embedder: the next one may be the probe. */
export function afterAbort(circuit: Circuit, nowMs: number): Circuit {
  return circuit.state === "half-open" ? { state: "open", untilMs: nowMs, openings: circuit.openings } : circuit;
}

/** Milliseconds until a call may be let through; for a probe under way, a moment. */
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

// Between half of the pause and all of it, so that programs that failed together do not come back together.
function opened(openings: number, { nowMs, random }: Moment, { baseMs, maxMs }: CircuitSettings): Circuit {
  const longestMs = Math.min(maxMs, baseMs * 2 ** (openings - 1));
  return { state: "open", openings, untilMs: nowMs + Math.round(longestMs * (0.5 + random / 2)) };
}
