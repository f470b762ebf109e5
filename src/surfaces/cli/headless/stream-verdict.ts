// The verdict on a run with several turns: a failure counts even if a later turn succeeds.
// Invariant: a wait for approval and an interruption count only for the last turn, since a later turn continues from them.
import { exitCodes } from "../exit-codes.ts";
import type { Verdict } from "./turn-verdict.ts";

export interface StreamVerdict {
  /** Records the end of a turn. */
  ended(verdict: Verdict): void;
  /** Records an invalid line or a failed turn. */
  failed(verdict: Verdict): void;
  final(): Verdict;
}

export function createStreamVerdict(): StreamVerdict {
  let last: Verdict | null = null;
  let failure: Verdict | null = null;
  return {
    ended(verdict) {
      if (last !== null && !passes(last)) failure = last;
      last = verdict;
    },
    failed(verdict) {
      failure = verdict;
    },
    final() {
      if (last !== null && last.exitCode !== exitCodes.done) return last;
      return failure ?? last ?? noMessage;
    },
  };
}

function passes({ exitCode }: Verdict): boolean {
  const passing: readonly number[] = [exitCodes.done, exitCodes.awaitingApproval, exitCodes.interrupted];
  return passing.includes(exitCode);
}

const noMessage: Verdict = {
  exitCode: exitCodes.usage,
  subtype: "error_input",
  code: "input_invalid",
  message: "Standard input contained no message.",
};
