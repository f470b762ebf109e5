// The part of the store's port that keeps compactions: which messages left a window, and the summaries that replace
// them.
// Invariant: the compactions of a window form a chain that covers every message before the window once. Undoing a
// compaction also undoes all later ones.
import type { CompactionRecord, StoredMessage } from "./records.ts";
import type { Lease } from "./turn-store.ts";

export type NewCompaction = Omit<CompactionRecord, "at" | "undoneAt">;

/** Positions in a thread, both inclusive. */
export interface PositionRange {
  readonly fromPosition: number;
  readonly throughPosition: number;
}

export interface CompactionStore {
  /**
   * Stores compactions that are made, and later undone, together. Returns the window's new version. Throws RequestError
   * `lease_lost`, or `message_not_found` for a compaction that does not end at a message of the thread, with nothing written.
   */
  add(lease: Lease, compactions: readonly NewCompaction[]): Promise<number>;
  /**
   * Undoes the newest compaction in the window, and all that were made together with it or later, on any branch.
   * Returns the undone compactions that were in the window, oldest first. Throws RequestError `lease_lost`, and
   * `undo_refused` if there is no compaction or if retention has dropped messages that would return to the window.
   */
  undo(lease: Lease): Promise<readonly CompactionRecord[]>;
  /** Returns the conversation's compactions, newest first. */
  list(conversationId: string, limit: number): Promise<readonly CompactionRecord[]>;
  /** Returns the messages of the thread in a range of positions, except those that retention has dropped. */
  messages(conversationId: string, range: PositionRange): Promise<readonly StoredMessage[]>;
}
