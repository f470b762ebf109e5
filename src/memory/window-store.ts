// The part of the store's port that tells what models were sent: core memory as it stands in prompts, and the log of calls.
// Invariant: nothing here changes what an agent remembers.
import type { ContextReport } from "./context-report.ts";
import type { MemorySnapshot } from "./records.ts";
import type { Lease } from "./turn-store.ts";
import type { Usage } from "../message.ts";

/** A model call as it was logged. */
export interface LoggedStep {
  readonly id: string;
  /** Which of the conversation's calls it was, from 1; calls of abandoned branches count. */
  readonly ordinal: number;
  readonly turnId: string;
  /** Which of the turn's calls it was, from 1. */
  readonly number: number;
  readonly model: string;
  readonly finish: string;
  readonly usage: Usage;
  readonly report: ContextReport;
  readonly at: Date;
}

export interface WindowStore {
  /** Throws RequestError `lease_lost`, with nothing written, when somebody else has taken the lease. */
  saveSnapshot(lease: Lease, snapshot: MemorySnapshot): Promise<void>;
  /** The newest calls of the conversation, newest first. Throws RequestError `conversation_not_found`. */
  steps(conversationId: string, limit: number): Promise<readonly LoggedStep[]>;
  /** One call, or null when the conversation has not had so many. */
  step(conversationId: string, ordinal: number): Promise<LoggedStep | null>;
}
