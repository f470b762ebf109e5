// The part of the store's port for the events of recent turns, which any process of the user can read.
// Invariant: a turn's events are stored in order and without gaps, and only under the lease of its conversation.
import type { EventBatch, Lease } from "./turn-store.ts";

/** The events of a turn after a given one, and whether more can follow. */
export interface StoredEvents {
  /** The turn of these events: the requested turn, or the turn that took over the requested turn's queued input. */
  readonly turnId: string;
  readonly agentId: string;
  /** The events, oldest first. The first batch may begin before the given event. */
  readonly batches: readonly EventBatch[];
  /**
   * `queued`: the turn's input waits for the conversation. `running`: a process runs the turn. `over`: no process runs it now.
   * `unknown`: the conversation has no such turn, or its events have expired.
   */
  readonly state: "queued" | "running" | "over" | "unknown";
}

/** Conditions for reading; `read` throws RequestError `conversation_not_found` if one is not met. Default: none. */
export interface ExpectedReader {
  /** The name or the id of the conversation's agent, which the user may use. Default: any. */
  readonly agent?: string | undefined;
  /** A key of the user that must not be revoked. Default: none. */
  readonly keyId?: string | undefined;
}

export interface TurnEventStore {
  /** Appends events. Does nothing if another process has taken the lease. */
  append(lease: Lease, batch: EventBatch): Promise<void>;
  /**
   * Returns the events of a turn after the event `after`. Throws RequestError `conversation_not_found`, also if a condition of
   * `ExpectedReader` is not met.
   */
  read(
    conversationId: string,
    turnId: string,
    options: ExpectedReader & { readonly after: number },
  ): Promise<StoredEvents>;
  /** Returns the number of the turn's last stored event; 0 if there is none. */
  last(turnId: string): Promise<number>;
  /** Returns the turn of an input by its idempotency key; null if the conversation never had the key. */
  turnOf(conversationId: string, idempotencyKey: string): Promise<string | null>;
  /** Deletes the user's events that are older than `ms` milliseconds, except those of turns that wait for approval. */
  expire(ms: number): Promise<void>;
}
