// Whether a turn did what was asked, and what to say when not.
import type { StopReason } from "../../agent/events.ts";
import type { ResultSubtype } from "../../headless/stream-record.ts";
import { exitCodes } from "../exit-codes.ts";
import type { TurnRecord } from "./turn-record.ts";

export interface Verdict {
  readonly exitCode: number;
  readonly subtype: ResultSubtype;
  /** What to tell on stderr; absent on success. */
  readonly message?: string;
  /** Of the error catalogue; absent where the subtype says it all. */
  readonly code?: string;
}

/** Judges a turn that has ended. A reply without text is no success: whoever asked has nothing. */
export function judgeTurn(turn: TurnRecord): Verdict {
  if (turn.stopReason === "end-turn") return turn.text.trim() === "" ? emptyReply : success;
  const stopped = stops[turn.stopReason ?? "interrupted"];
  const exitCode = turn.error?.code === "agent_busy" ? exitCodes.busy : stopped.exitCode;
  const { code, message } = turn.error ?? { message: stopped.message };
  return { ...stopped, exitCode, message, ...(code === undefined ? {} : { code }) };
}

const success: Verdict = { exitCode: exitCodes.done, subtype: "success" };

const emptyReply: Verdict = {
  exitCode: exitCodes.failed,
  subtype: "error_empty_reply",
  message: "the agent ended its turn without a reply",
};

const stops: Readonly<Record<Exclude<StopReason, "end-turn">, Verdict & { readonly message: string }>> = {
  "max-steps": {
    exitCode: exitCodes.limit,
    subtype: "error_max_steps",
    message: "the turn used up its model calls (max-steps); what was done is kept",
  },
  budget: {
    exitCode: exitCodes.limit,
    subtype: "error_budget",
    message: "the turn used up its budget; what was done is kept",
  },
  length: {
    exitCode: exitCodes.limit,
    subtype: "error_length",
    message: "the reply was cut off at the agent's max-output-tokens",
  },
  refusal: { exitCode: exitCodes.failed, subtype: "error_refusal", message: "the model refused to answer" },
  interrupted: {
    exitCode: exitCodes.interrupted,
    subtype: "error_interrupted",
    message: "interrupted; what was done is kept",
  },
  "awaiting-approval": {
    exitCode: exitCodes.awaitingApproval,
    subtype: "error_awaiting_approval",
    message:
      "a tool call waits for approval: `palimpsest approvals list` shows it, `approvals approve ID` or `approvals deny ID` goes on",
  },
  "model-error": { exitCode: exitCodes.failed, subtype: "error_model", message: "the model failed" },
  "context-overflow": {
    exitCode: exitCodes.failed,
    subtype: "error_context_overflow",
    message: "the conversation does not fit into the model's window, even after compaction",
  },
};
