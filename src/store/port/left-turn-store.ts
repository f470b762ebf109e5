// The part of the store's port for turns that a process has left, and queued inputs whose sender is gone.
// Invariant: what is left follows from leases and times; nothing has to be corrected after a crash.
import type { Lease, QueuedInput, TurnTerms } from "./turn-store.ts";

/** A turn that servers are to continue. */
export interface LeftTurn {
  readonly turnId: string;
  readonly agentId: string;
  readonly conversationId: string;
  /** Whether it has not begun: its input is in the queue. */
  readonly isQueued: boolean;
}

/** How a turn was asked for, and what became of it. */
export interface AskedTurn {
  readonly terms: TurnTerms;
  /** How often it was continued since. */
  readonly continued: number;
  /** Null while the turn is queued or runs. */
  readonly stopReason: string | null;
}

/** A turn that goes on: after a pause, after its end, or after its process ended. */
export interface ReopenedTurn {
  readonly turnId: string;
  readonly terms: TurnTerms;
  /** Whether it is continued as it was asked for, which is counted. Otherwise it is asked for anew. */
  readonly isContinued: boolean;
}

export interface LeftTurnStore {
  /** Returns null for an unknown turn. */
  find(turnId: string): Promise<AskedTurn | null>;
  /** Returns the input that waits for this turn; null if there is none. */
  input(conversationId: string, turnId: string): Promise<QueuedInput | null>;
  /** Records that a turn goes on, and returns the number of its last stored event. Does nothing without the lease. */
  reopen(lease: Lease, turn: ReopenedTurn): Promise<number>;
  /**
   * Returns what servers are to continue, in the order in which that is to be done: of one conversation, or of all for null.
   * Turns whose conversation another process writes in are not among it.
   */
  list(conversationId: string | null): Promise<readonly LeftTurn[]>;
  /** Keeps the queued inputs of which `list` returns the turns in the queue, behind a turn that is continued first. */
  keepInputs(conversationId: string): Promise<void>;
}
