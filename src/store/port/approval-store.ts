// The part of the store's port for tool calls that wait for the user's approval or for a result from the caller.
// Invariant: a call waits or has a decision, never both, and the first of two decisions wins.
import type { ApprovalDecider, StoredMessage } from "./records.ts";
import type { EventBatch, Lease } from "./turn-store.ts";

/**
 * A tool call that waits: for the user's approval, or for the result of a tool that the caller runs. From the moment at which it
 * was requested.
 */
export interface ApprovalRecord {
  readonly awaits: "approval" | "result";
  readonly conversationId: string;
  /** The assistant message that contains the call. */
  readonly messageId: string;
  readonly callId: string;
  readonly toolName: string;
  /** JSON of the arguments that the call runs with, unless it is approved with others. */
  readonly arguments: string;
  /** What the call would do, as its tool says; null for a tool without a preview. */
  readonly preview: string | null;
  /**
   * How the tool's server defined it, as text, and the lines that differ from the definition that the user approved last, each
   * after `- ` or `+ ` (null: none, or none is known). Absent for other tools.
   */
  readonly definition?: { readonly text: string; readonly change: string | null };
  readonly requestedAt: Date;
  /** When it counts as denied; null: never, and for a result. */
  readonly expiresAt: Date | null;
  /** Null while it waits, and for a result. */
  readonly decision: ApprovalDecision | null;
}

export interface ApprovalDecision {
  readonly verdict: "approved" | "denied";
  readonly by: ApprovalDecider;
  /** Why it was denied, in the user's words. */
  readonly reason: string | null;
  /** JSON of the arguments that the user approved instead of the model's. */
  readonly arguments: string | null;
  readonly at: Date;
}

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

/** Every write throws RequestError `lease_lost`, with nothing written, if another process has taken the lease. */
export interface ApprovalStore {
  /**
   * Suspends pending calls until someone decides or answers, all or none. Throws RequestError `approval_not_found` if one is not
   * pending. Stores events of the turn in the same transaction.
   */
  request(
    lease: Lease,
    calls: readonly Omit<ApprovalRecord, "decision" | "toolName">[],
    events?: EventBatch | null,
  ): Promise<void>;
  /** Makes the call pending again, with the decision. Throws RequestError `approval_not_found` if it does not wait. */
  decide(lease: Lease, call: CallReference, decision: ApprovalDecision): Promise<void>;
  /**
   * Stores the results of calls that wait for them, all or none. Throws RequestError `result_not_awaited` if one does not wait,
   * `lease_lost`, and `agent_busy` if the conversation's leaf is not the parent of the first message.
   */
  answer(lease: Lease, answer: CallAnswers): Promise<void>;
  /** Returns the calls of one message that wait or have waited, with or without a decision, in their order. */
  ofMessage(messageId: string): Promise<readonly ApprovalRecord[]>;
  /** Returns the definition in which the user approved a call of the tool last; null if none was stored. */
  lastDefinition(toolName: string): Promise<string | null>;
  /** Returns the calls that wait for approval on the threads of the user's conversations with the agent, oldest first. */
  waiting(agentId: string): Promise<readonly ApprovalRecord[]>;
}
