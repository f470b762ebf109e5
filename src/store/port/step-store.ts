// The part of the store's port that reads the log of model calls: what was sent, and the usage that providers reported.
// Invariant: read-only; a step is written with its reply, in the turn's own commit.
import { form, type RecordOf } from "../../base/arguments/forms.ts";
import { stepFields } from "./records.ts";
import type { Usage, UsageSample } from "../../base/message/message.ts";

export const loggedStepFields = {
  ...stepFields,
  /** Number of the model call in its conversation, from 1. Calls on abandoned branches are counted too. */
  ordinal: form.number,
  at: form.moment,
};

/** A logged model call with its number. */
export interface LoggedStep extends RecordOf<typeof loggedStepFields> {}

/** The tokens of all calls of one model. */
export interface ModelUsage extends Usage {
  readonly model: string;
}

/** The tokens of all calls of one model for one user. */
export interface UserUsage extends ModelUsage {
  readonly userId: string;
}

export interface StepStore {
  /** Returns the newest calls of the conversation, newest first. Throws RequestError `conversation_not_found`. */
  list(conversationId: string, limit: number): Promise<readonly LoggedStep[]>;
  /** Returns one call; null if the conversation has fewer calls. Throws the same error as `list`. */
  find(conversationId: string, ordinal: number): Promise<LoggedStep | null>;
  /**
   * Returns the tokens that the runtime counted (`counted` in the report) and those that the provider reported, for at most
   * `limit` requests to the model, newest last. Only the user's newest 200 steps are read, of all agents. Steps that lack
   * either number are skipped.
   */
  usageSamples(model: string, limit: number): Promise<readonly UsageSample[]>;
  /**
   * Returns the tokens of replies to the user, of summaries and of consolidations since a moment, by model, for all
   * agents. Calls without a reported usage are estimated. Deleted conversations are not included.
   */
  usageSince(moment: Date): Promise<readonly ModelUsage[]>;
}
