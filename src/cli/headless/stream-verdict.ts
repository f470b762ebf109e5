// What becomes of a run with several turns: a failure is not forgotten because a later turn went well.
// Invariant: a wait for approval and an interruption count only for the last turn: another one goes on from them.
import { exitCodes } from "../exit-codes.ts";
import type { Verdict } from "./turn-verdict.ts";

export interface StreamVerdict {
  /** A turn has ended. */
  ended(verdict: Verdict): void;
  /** A line could not be followed, or its turn broke off. */
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
      return failure ?? last ?? nothingSaid;
    },
  };
}

function passes({ exitCode }: Verdict): boolean {
  const passing: readonly number[] = [exitCodes.done, exitCodes.awaitingApproval, exitCodes.interrupted];
  return passing.includes(exitCode);
}

const nothingSaid: Verdict = {
  exitCode: exitCodes.usage,
  subtype: "error_input",
  code: "input_invalid",
  message: "Standard input had no line with a message: there was nothing to do.",
};
