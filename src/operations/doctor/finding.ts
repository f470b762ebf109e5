// What a check found, in the three ways there are.
// Invariant: whatever is not well comes with advice.
import { messageOf } from "../../base/error-message.ts";
import type { Finding } from "../../runtime/doctor.ts";

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
  return failed(check, messageOf(error), "Do what the message says, then run `palimpsest doctor` again.");
}
