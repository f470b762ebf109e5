// The searches of an open agent for the input of a turn and for its tools, and its working memory of past turns.
// Invariant: a failed search never fails a turn; an agent without lookups has neither.
import type { RetrievedItem } from "../context/window/place-retrieved.ts";
import { ToolError } from "../base/errors.ts";
import type { StoredMessage } from "../store/port/records.ts";
import type { AttachedFiles, WorkingSearch } from "../tool/tool.ts";

export interface TurnRetrieval {
  /** Best first. */
  readonly items: readonly RetrievedItem[];
  /** Searches that failed or were incomplete. */
  readonly warnings: readonly string[];
}

export interface TurnLookup extends WorkingSearch {
  /**
   * Searches for a user's input and leaves out items that these messages contain. Returns nothing if the signal aborts.
   */
  forInput(input: StoredMessage, messages: readonly StoredMessage[], signal: AbortSignal): Promise<TurnRetrieval>;
  /** Adds the messages of the last turn to working memory. Called when the turn has ended, however it ended. */
  remember(messages: readonly StoredMessage[]): void;
  /** Removes the entries of messages that were removed from the thread. */
  forget(messageIds: readonly string[]): void;
}

export const noRetrieval: TurnRetrieval = { items: [], warnings: [] };

/** For tools of an agent without files. */
export const noAttachedFiles: AttachedFiles = {
  open: async () => {
    throw new ToolError("No source with files is attached. Nothing was opened.");
  },
  findLines: async () => ({ files: 0, total: 0, lines: [] }),
};

/** For tools of an agent without working memory. */
export const noWorkingSearch: WorkingSearch = {
  search: async () => ({ hits: [], page: 0, pageSize: 5, total: 0, wordsAlone: false }),
};
