// Judges a turn: returns success, or a failure with its message and exit code.
import type { StopReason, TurnEnd } from "../../../agent/events.ts";
import type { TurnState } from "../../../agent/fold-turn.ts";
import type { ResultSubtype } from "../../stream/headless/stream-record.ts";
import { exitCodes } from "../exit-codes.ts";

export interface Verdict {
  readonly exitCode: number;
  readonly subtype: ResultSubtype;
  /** The message for stderr; absent on success. */
  readonly message?: string;
  /** Code from the error catalogue; absent if the failure has no code. */
  readonly code?: string;
}

/**
 * Returns the verdict on a finished turn. A turn that a tool rule has ended is a success. Otherwise a reply without text is a
 * failure, because the caller gets no result.
 */
export function judgeTurn({ end }: TurnState): Verdict {
  const { stopReason, text = "", error }: Partial<TurnEnd> = end ?? {};
  if (stopReason === "tool-rule") return success;
  if (stopReason === "end-turn") return text.trim() === "" ? emptyReply : success;
  const stopped = stops[stopReason ?? "interrupted"];
  const exitCode = error?.code === "agent_busy" ? exitCodes.busy : stopped.exitCode;
  const { code, message } = error ?? { message: stopped.message };
  return { ...stopped, exitCode, message, ...(code === undefined ? {} : { code }) };
}

const success: Verdict = { exitCode: exitCodes.done, subtype: "success" };

const emptyReply: Verdict = {
  exitCode: exitCodes.failed,
  subtype: "error_empty_reply",
  message: "the agent ended its turn without a reply",
};

const stops: Readonly<Record<Exclude<StopReason, "end-turn" | "tool-rule">, Verdict & { readonly message: string }>> = {
  "max-steps": {
    exitCode: exitCodes.limit,
    subtype: "error_max_steps",
    message: "the turn used up its model calls (max-steps); its work is kept",
  },
  budget: {
    exitCode: exitCodes.limit,
    subtype: "error_budget",
    message: "the turn used up its budget; its work is kept",
  },
  length: {
    exitCode: exitCodes.limit,
    subtype: "error_length",
    message: "the reply was truncated at the agent's max-output-tokens",
  },
  refusal: { exitCode: exitCodes.failed, subtype: "error_refusal", message: "the model refused to answer" },
  interrupted: {
    exitCode: exitCodes.interrupted,
    subtype: "error_interrupted",
    message: "interrupted; completed work is kept",
  },
  "awaiting-approval": {
    exitCode: exitCodes.awaitingApproval,
    subtype: "error_awaiting_approval",
    message:
      "a tool call waits for approval: `palimpsest approvals list` shows it, `approvals approve ID` or `approvals deny ID` continues the turn",
  },
  "awaiting-result": {
    exitCode: exitCodes.awaitingApproval,
    subtype: "error_awaiting_result",
    message: "a tool call waits for its result from the program that offered the tool; another message supersedes it",
  },
  "awaiting-reply": {
    exitCode: exitCodes.awaitingApproval,
    subtype: "error_awaiting_reply",
    message: "a tool call waits for the reply of another agent: `palimpsest agents messages` shows it",
  },
  "model-error": { exitCode: exitCodes.failed, subtype: "error_model", message: "the model failed" },
  "context-overflow": {
    exitCode: exitCodes.failed,
    subtype: "error_context_overflow",
    message: "the conversation does not fit into the model's window, even after compaction",
  },
};

/**
 * Returns the verdict on a run with several turns. A failure counts even if a later turn succeeds. A wait for approval and an
 * interruption count only for the last turn, because a later turn continues from them.
 */
export function createStreamVerdict() {
  let last: Verdict | null = null;
  let failure: Verdict | null = null;
  return {
    ended(verdict: Verdict): void {
      if (last !== null && !passes(last)) failure = last;
      last = verdict;
    },
    /** Records an invalid line or a failed turn. */
    failed(verdict: Verdict): void {
      failure = verdict;
    },
    final(): Verdict {
      if (last !== null && last.exitCode !== exitCodes.done) return last;
      return failure ?? last ?? noMessage;
    },
  };
}

export type StreamVerdict = ReturnType<typeof createStreamVerdict>;

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
