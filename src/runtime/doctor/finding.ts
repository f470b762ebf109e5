// Creates findings with the verdicts ok, warning and failed.
// Invariant: every warning and failure contains advice.
import { messageOf } from "../../base/thrown-values.ts";
import type { Finding } from "./contract.ts";

export function ok(check: string, found: string): Finding {
  return { check, verdict: "ok", found, advice: null };
}

export function warning(check: string, found: string, advice: string): Finding {
  return { check, verdict: "warning", found, advice };
}

export function failed(check: string, found: string, advice: string): Finding {
  return { check, verdict: "failed", found, advice };
}

/** Returns the finding for a check that threw. The error's message says what to do. */
export function failedBy(check: string, error: unknown): Finding {
  return failed(check, messageOf(error), "Do what the message says, then run `palimpsest doctor` again.");
}

/** Returns a handler for the error of a check that may throw. */
export function failing(check: string): (error: unknown) => Finding {
  return (error) => failedBy(check, error);
}
