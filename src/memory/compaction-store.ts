// The part of the store's port that keeps compactions: which messages left a window, and what stands for them.
// Invariant: those in a window are a chain that covers every message before it once; undoing one undoes what rests on it.
import type { CompactionRecord, StoredMessage } from "./records.ts";
import type { Lease } from "./turn-store.ts";

export type NewCompaction = Omit<CompactionRecord, "at" | "undoneAt">;

/** Positions of a thread, both included. */
export interface PositionRange {
  readonly fromPosition: number;
  readonly throughPosition: number;
}

export interface CompactionStore {
  /**
   * Stores compactions that are made together, and undone together. Returns the window's new version. Throws RequestError
   * `lease_lost`, or `message_not_found` for one that ends with no message of the thread; nothing is written then.
   */
  add(lease: Lease, compactions: readonly NewCompaction[]): Promise<number>;
  /**
   * Undoes the newest of those in the window, what was made with it, and what rests on them on other branches. Returns those
   * that were in the window, oldest first. Throws RequestError `lease_lost`, and `undo_refused` when there is none or when
   * retention has dropped messages that would come back.
   */
  undo(lease: Lease): Promise<readonly CompactionRecord[]>;
  /** All of a conversation, newest first. */
  list(conversationId: string, limit: number): Promise<readonly CompactionRecord[]>;
  /** The messages of the thread in a range of positions, without those that retention has dropped. */
  messages(conversationId: string, range: PositionRange): Promise<readonly StoredMessage[]>;
}
