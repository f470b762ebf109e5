// The part of the store's port that reads turns: their state, their messages and their model calls.
// Invariant: a turn is written by its own commits; only what its caller keeps with it is changed here.
import { form, type RecordOf } from "../../base/arguments/forms.ts";
import type { ListRange } from "./page.ts";
import { stepFields, type StoredMessage } from "./records.ts";

/**
 * `queued`: its input waits for the conversation. `running`: a process runs it. `waiting`: its calls wait for a decision or a
 * result. `interrupted`: it was stopped, or its process ended, or another input took the place of what it waited for.
 */
export type TurnState = "queued" | "running" | "waiting" | "completed" | "failed" | "interrupted";

export const turnStates = form.choice<TurnState>("queued", "running", "waiting", "completed", "failed", "interrupted");

export const turnFields = {
  id: form.id,
  agentId: form.id,
  conversationId: form.id,
  state: turnStates,
  /** That of its last `turn-end`; null before it, and for one whose process ended. */
  stopReason: form.nullable(form.text),
  errorCode: form.nullable(form.text),
  /** What the caller keeps with it: whether it runs in the background, and a JSON object. */
  isBackground: form.flag,
  metadata: form.object(),
  createdAt: form.moment,
  endedAt: form.nullable(form.moment),
};

export interface TurnRecord extends RecordOf<typeof turnFields> {}

export interface TurnQuery extends ListRange {
  readonly agentId?: string;
  readonly conversationId?: string;
  readonly states?: readonly TurnState[];
  readonly stopReason?: string;
  readonly isBackground?: boolean;
}

/** A model call of a turn. */
export const turnStepFields = {
  ...stepFields,
  agentId: form.id,
  conversationId: form.id,
  /** The reply. */
  messageId: form.id,
  at: form.moment,
};

export interface TurnStep extends RecordOf<typeof turnStepFields> {}

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
