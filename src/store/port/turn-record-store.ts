// The part of the store's port that reads turns: their state, their messages and their model calls.
// Invariant: rows of turns are written by the turns' own commits; this store changes only `isBackground` and `metadata`, for
// callers.
import { form, type RecordOf } from "../../base/arguments/forms.ts";
import type { ListRange } from "./page.ts";
import { stepFields, type StoredMessage } from "./records.ts";

/**
 * `queued`: the turn's input waits for the conversation. `running`: a process runs the turn. `waiting`: calls of the turn
 * wait for a decision or a result. `interrupted`: the turn was stopped, or its process ended, or a new input came instead of
 * the decision or result that it waited for.
 */
export type TurnState = "queued" | "running" | "waiting" | "completed" | "failed" | "interrupted";

export const turnStates = form.choice<TurnState>("queued", "running", "waiting", "completed", "failed", "interrupted");

export const turnFields = {
  id: form.id,
  agentId: form.id,
  conversationId: form.id,
  state: turnStates,
  /** The stop reason of the turn's last `turn-end` event; null before that event, and for a turn whose process ended. */
  stopReason: form.nullable(form.text),
  errorCode: form.nullable(form.text),
  /** Fields that the caller keeps with the turn: whether it runs in the background, and a JSON object. */
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
  /** The message with the reply. */
  messageId: form.id,
  at: form.moment,
};

export interface TurnStep extends RecordOf<typeof turnStepFields> {}

export interface StepQuery extends ListRange {
  readonly agentId?: string;
  readonly turnId?: string;
  readonly conversationId?: string | undefined;
}

export interface TurnRecordStore {
  list(query: TurnQuery): Promise<readonly TurnRecord[]>;
  find(id: string): Promise<TurnRecord | null>;
  /** Changes the fields that the caller keeps with a turn. Returns false if there is no such turn, or if it is queued. */
  update(id: string, change: Partial<Pick<TurnRecord, "isBackground" | "metadata">>): Promise<boolean>;
  /** Returns the turn's messages on all branches, in the order of the conversation. */
  messages(id: string): Promise<readonly StoredMessage[]>;
  steps(query: StepQuery): Promise<readonly TurnStep[]>;
  findStep(id: string): Promise<TurnStep | null>;
}
