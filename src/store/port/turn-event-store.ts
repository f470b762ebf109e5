// The part of the store's port for the events of recent turns, which any process of the user can read.
// Invariant: a turn's events are stored in order and without gaps, and only under the lease of its conversation.
import type { EventBatch, Lease } from "./turn-store.ts";

/** The events of a turn after a given event, and whether more can follow. */
export interface StoredEvents {
  /** The turn of these events: the requested one, or another turn that took over its queued input. */
  readonly turnId: string;
  readonly agentId: string;
  /** The events, oldest first. The first batch may also contain earlier events than requested. */
  readonly batches: readonly EventBatch[];
  /**
   * `queued`: the turn's input waits for the conversation. `running`: a process runs the turn. `over`: no process runs it now.
   * `unknown`: the conversation has no such turn, or the turn has ended and none of its events are stored.
   */
  readonly state: "queued" | "running" | "over" | "unknown";
}

/** Conditions for reading. If one is not met, `read` throws RequestError `conversation_not_found`. Default: none. */
export interface ExpectedReader {
  /** The name or the id of the conversation's agent, which the user may use. Default: any. */
  readonly agent?: string | undefined;
  /** The id of a key. Events are returned only if the user has this key and has not revoked it. Default: no key is checked. */
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
  /** Returns the turn of the input with this idempotency key; null if the conversation never had the key. */
  turnOf(conversationId: string, idempotencyKey: string): Promise<string | null>;
  /** Deletes the user's events that are older than `ms` milliseconds, except those of turns that wait for approval. */
  expire(ms: number): Promise<void>;
}
