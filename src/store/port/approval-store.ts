// The part of the store's port for tool calls that wait for the user's approval, a result from the caller, or the reply of
// another agent.
// Invariant: a call waits or has a decision, never both, and the first of two decisions wins.
import { form, type RecordOf } from "../../base/arguments/forms.ts";
import type { StoredMessage } from "./records.ts";
import type { EventBatch, Lease } from "./turn-store.ts";

/** Who or what decided about a call: the user's decision, a message that the user sent instead, or the time-out. */
export type ApprovalDecider = "user" | "message" | "timeout";

const approvalDecisionFields = {
  verdict: form.choice("approved", "denied"),
  by: form.choice<ApprovalDecider>("user", "message", "timeout"),
  /** Why the call was denied, in the user's words. */
  reason: form.nullable(form.text),
  /** JSON of the arguments that the user approved instead of the model's. */
  arguments: form.nullable(form.text),
  at: form.moment,
};

export interface ApprovalDecision extends RecordOf<typeof approvalDecisionFields> {}

export const pendingResultFields = {
  conversationId: form.id,
  /** The assistant message that contains the call. */
  messageId: form.id,
  callId: form.text,
  toolName: form.text,
  /** JSON of the arguments with which the call runs, unless the user approves other arguments. */
  arguments: form.text,
  requestedAt: form.moment,
};

/** A call of a client tool that waits for its result. */
export interface PendingResult extends RecordOf<typeof pendingResultFields> {}

export const approvalFields = {
  ...pendingResultFields,
  awaits: form.choice("approval", "result", "reply"),
  /** The tool's description of what the call would do; null for a tool without previews. */
  preview: form.nullable(form.text),
  /**
   * Only for a tool of an MCP server. `text`: the server's definition of the tool. `change`: the lines in which it
   * differs from the definition approved last, prefixed with `- ` or `+ `; null if none differs or none was approved.
   */
  definition: form.maybe(form.record({ text: form.text, change: form.nullable(form.text) })),
  /** When the call counts as denied if nobody has decided; null: never, as for a call that awaits a result or a reply. */
  expiresAt: form.nullable(form.moment),
  /** Null while the call waits for a decision, and for a call that needs no decision. */
  decision: form.nullable(form.record(approvalDecisionFields)),
};

/**
 * A tool call that waits, or has waited, for the user's approval, for the result of a tool that the caller runs, or for
 * the reply of another agent.
 */
export interface ApprovalRecord extends RecordOf<typeof approvalFields> {}

/** Identifies a tool call. */
export type CallReference = Pick<ApprovalRecord, "conversationId" | "messageId" | "callId">;

/** Results of calls of one message. */
export interface CallAnswers {
  /** The assistant message that contains the calls. */
  readonly callMessageId: string;
  /** The messages with the results, in the order of `results`. */
  readonly messages: readonly StoredMessage[];
  readonly results: readonly { readonly callId: string; readonly status: "ok" | "failed" }[];
}

/**
 * Stores waiting calls. Every write throws RequestError `lease_lost`, with nothing written, if another process has taken the
 * lease.
 */
export interface ApprovalStore {
  /**
   * Suspends pending calls, all or none, until each is approved, denied or answered. Stores events of the turn in the
   * same transaction. Throws RequestError `approval_not_found` if a call is not pending.
   */
  request(
    lease: Lease,
    calls: readonly Omit<ApprovalRecord, "decision" | "toolName">[],
    events?: EventBatch | null,
  ): Promise<void>;
  /** Stores a decision, and makes the call pending again. Throws RequestError `approval_not_found` if it does not wait. */
  decide(lease: Lease, call: CallReference, decision: ApprovalDecision): Promise<void>;
  /**
   * Stores the results of calls that wait for them, all or none. Throws RequestError `result_not_awaited` if one of the calls
   * does not wait, `lease_lost`, and `agent_busy` if the conversation's leaf is not the parent of the first message.
   */
  answer(lease: Lease, answer: CallAnswers): Promise<void>;
  /** Returns the calls of one message that wait or have waited, with or without a decision, in the message's order. */
  ofMessage(messageId: string): Promise<readonly ApprovalRecord[]>;
  /** Returns the tool's definition at the user's last approval of a call; null if no definition was stored. */
  lastDefinition(toolName: string): Promise<string | null>;
  /** Returns the calls that wait for approval on the threads of the user's conversations with the agent, oldest first. */
  waiting(agentId: string): Promise<readonly ApprovalRecord[]>;
}
