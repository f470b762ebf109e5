// What an open agent looks up beside its conversation: for the input of a turn, for its tools, and what it remembers of a turn.
// Invariant: none of it fails a turn; an agent that looks nothing up has none of it.
import type { RetrievedItem } from "../context/window/place-retrieved.ts";
import type { StoredMessage } from "../memory/records.ts";
import type { WorkingSearch } from "../tool/tool.ts";

export interface LookedUp {
  /** Best first. */
  readonly items: readonly RetrievedItem[];
  /** What could not be looked up, or not in full. */
  readonly warnings: readonly string[];
}

export interface TurnLookup extends WorkingSearch {
  /** For a user's input; what stands among these messages is left out. Nothing when the signal aborts. */
  forInput(input: StoredMessage, messages: readonly StoredMessage[], signal: AbortSignal): Promise<LookedUp>;
  /** Keeps what the messages of the last turn hold. Called when it has ended, however. */
  remember(messages: readonly StoredMessage[]): void;
  /** Forgets what was kept of messages that were removed from the thread. */
  forget(messageIds: readonly string[]): void;
}

export const nothingLookedUp: LookedUp = { items: [], warnings: [] };

/** For tools, where there is no working memory. */
export const noWorkingSearch: WorkingSearch = {
  search: async () => ({ hits: [], page: 0, pageSize: 5, total: 0 }),
};
