// The part of the store's port for unfinished turns: turns without an end that no process runs, and queued inputs of
// senders that are gone.
// Invariant: whether a turn is unfinished follows from leases and times, so nothing has to be corrected after a crash.
import type { Lease, QueuedInput, TurnTerms } from "./turn-store.ts";

/** An unfinished turn for a server to continue. */
export interface UnfinishedTurn {
  readonly turnId: string;
  readonly agentId: string;
  readonly conversationId: string;
  /** Whether the turn has not begun: its input is in the queue. */
  readonly isQueued: boolean;
  /** Whether the turn was requested to stop, so that it must end instead of continuing. */
  readonly isStopped: boolean;
}

/** How a turn was requested, and what became of it. */
export interface AskedTurn {
  readonly terms: TurnTerms;
  /** Number of times that the turn was continued since it was requested. */
  readonly continued: number;
  /** Why the turn stopped; null while it is queued or runs. */
  readonly stopReason: string | null;
  /** Whether the turn was requested to stop, and its process has not ended it. */
  readonly isStopped: boolean;
}

/** A turn that resumes: after a pause, after its end, or after its process ended. */
export interface ReopenedTurn {
  readonly turnId: string;
  readonly terms: TurnTerms;
  /** True if the turn continues, which increments `continued`; false if it was requested again, with new terms. */
  readonly isContinued: boolean;
}

export interface UnfinishedTurnStore {
  /** Returns the turn; null if it is unknown. */
  find(turnId: string): Promise<AskedTurn | null>;
  /** Returns the input that waits for this turn; null if there is none. */
  input(conversationId: string, turnId: string): Promise<QueuedInput | null>;
  /** Records that a turn resumes, and returns the number of its last stored event. Records nothing without the lease. */
  reopen(lease: Lease, turn: ReopenedTurn): Promise<number>;
  /**
   * Returns the turns of one conversation (null: of all) that servers must continue, in the order in which to continue them.
   * Leaves out turns whose conversation is leased by a running process.
   */
  list(conversationId: string | null): Promise<readonly UnfinishedTurn[]>;
  /** Extends the time that the inputs of `list` stay queued, while an earlier turn continues. */
  keepInputs(conversationId: string): Promise<void>;
}
