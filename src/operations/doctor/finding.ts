// What a check found, in the three ways there are.
// Invariant: whatever is not well comes with advice.
import type { Finding } from "../../runtime.ts";

export function ok(check: string, found: string): Finding {
  return { check, verdict: "ok", found, advice: null };
}

export function warning(check: string, found: string, advice: string): Finding {
  return { check, verdict: "warning", found, advice };
}

export function failed(check: string, found: string, advice: string): Finding {
  return { check, verdict: "failed", found, advice };
}

/** The finding for a check that threw: messages of ours say what to do themselves. */
export function failedBy(check: string, error: unknown): Finding {
  return failed(check, reasonOf(error), "Do what the message says, then run `palimpsest doctor` again.");
}

/** What an error says, or what was thrown in its place. */
export function reasonOf(error: unknown): string {
  const message = typeof error === "object" && error !== null && "message" in error ? error.message : error;
  return String(message);
}
