// The part of the store's port that reads turns: their state, their messages and their model calls.
// Invariant: a turn is written by its own commits; only what its caller keeps with it is changed here.
import type { ListRange } from "./page.ts";
import type { StepRecord, StoredMessage } from "./records.ts";

/**
 * `queued`: its input waits for the conversation. `running`: a process runs it. `waiting`: its calls wait for a decision or a
 * result. `interrupted`: it was stopped, or its process ended, or another input took the place of what it waited for.
 */
export type TurnState = "queued" | "running" | "waiting" | "completed" | "failed" | "interrupted";

export interface TurnRecord {
  readonly id: string;
  readonly agentId: string;
  readonly conversationId: string;
  readonly state: TurnState;
  /** That of its last `turn-end`; null before it, and for one whose process ended. */
  readonly stopReason: string | null;
  readonly errorCode: string | null;
  /** What the caller keeps with it: whether it runs in the background, and a JSON object. */
  readonly isBackground: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

export interface TurnQuery extends ListRange {
  readonly agentId?: string;
  readonly conversationId?: string;
  readonly states?: readonly TurnState[];
  readonly stopReason?: string;
  readonly isBackground?: boolean;
}

/** A model call of a turn. */
export interface TurnStep extends StepRecord {
  readonly agentId: string;
  readonly conversationId: string;
  /** The reply. */
  readonly messageId: string;
  readonly at: Date;
}

export interface StepQuery extends ListRange {
  readonly agentId?: string;
  readonly turnId?: string;
}

export interface TurnRecordStore {
  list(query: TurnQuery): Promise<readonly TurnRecord[]>;
  find(id: string): Promise<TurnRecord | null>;
  /** Returns false if there is no such turn, or if it is queued. */
  update(id: string, change: Partial<Pick<TurnRecord, "isBackground" | "metadata">>): Promise<boolean>;
  /** On all branches, in the order of the conversation. */
  messages(id: string): Promise<readonly StoredMessage[]>;
  steps(query: StepQuery): Promise<readonly TurnStep[]>;
  findStep(id: string): Promise<TurnStep | null>;
}
