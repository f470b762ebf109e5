// The part of the store's port that tells what models were sent, and what providers reported of it: the log of model calls.
// Invariant: it only reads; a step is written with its reply, by the turn's own commit.
import type { StepRecord } from "./records.ts";
import type { UsageSample } from "../message/message.ts";

/** A model call as it was logged. */
export interface LoggedStep extends StepRecord {
  /** Which of the conversation's calls it was, from 1; calls of abandoned branches count. */
  readonly ordinal: number;
  readonly at: Date;
}

export interface StepStore {
  /** The newest calls of the conversation, newest first. Throws RequestError `conversation_not_found`. */
  list(conversationId: string, limit: number): Promise<readonly LoggedStep[]>;
  /** One call, or null when the conversation has not had so many. Throws as `list`. */
  find(conversationId: string, ordinal: number): Promise<LoggedStep | null>;
  /**
   * What requests to a model were counted at (`counted` of the report) and what its provider reported, among the newest 200
   * steps of the user with whichever agent: at most `limit`, the newest last. A step that lacks either is left out.
   */
  usageSamples(model: string, limit: number): Promise<readonly UsageSample[]>;
}
