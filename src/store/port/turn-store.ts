// The part of the store's port that turns use: the lease that allows writing, the queue of inputs, and the commits.
// Invariant: a turn writes nothing without a lease, and nothing under a lease that another process has taken over.
import { RequestError } from "../../base/errors.ts";
import type { ContentPart, ExternalSource, Trust } from "../../base/message/message.ts";
import type { ModuleChange, ModuleRecord, StepRecord, StoredMessage } from "./records.ts";
import type { SearchableMemory } from "./searchable-memory.ts";
import type { NewPassage } from "./passage-store.ts";

/** The right to run steps in a conversation. */
export interface Lease {
  readonly conversationId: string;
  /** Number of times that the conversation's lease was taken. A write is refused if its fence is older than the stored one. */
  readonly fence: number;
}

/** The claimant of a lease, and how long the lease is valid unless it is renewed. */
export interface LeaseRequest {
  readonly conversationId: string;
  /** Distinguishes this claimant from all others, even in the same process. */
  readonly claimant: string;
  readonly ttlMs: number;
  /**
   * Key of the claimant's own input in the queue; earlier inputs go first. Without a key, all waiting inputs go first.
   */
  readonly idempotencyKey?: string;
  /** Whether the claimant goes before all waiting inputs. Default false. */
  readonly goesFirst?: boolean;
}

export type LeaseOutcome =
  | {
      readonly type: "taken";
      readonly lease: Lease;
      /** The conversation's current message. */
      readonly leafId: string | null;
      /** Number of compactions and undos of the conversation's window so far. */
      readonly windowVersion: number;
    }
  | {
      readonly type: "busy";
      /** The lease holder, in words for a person; null if the lease is free and other inputs wait. */
      readonly holder: string | null;
      /** Number of queued inputs that are answered before the claimant's. */
      readonly ahead: number;
    }
  /** The claimant's input is no longer queued: it was not renewed in time, and another process adopted it. */
  | { readonly type: "adopted" };

export interface LeaseStore {
  /**
   * Takes the lease if it is free, has expired, or is held by a process of this machine that no longer runs. Throws
   * RequestError `conversation_not_found`.
   */
  take(request: LeaseRequest): Promise<LeaseOutcome>;
  /** Extends the lease. Throws RequestError `lease_lost` if another process has taken it. */
  renew(lease: Lease, ttlMs: number): Promise<void>;
  /** Requests that the holder of the lease stops. Returns false if no process holds it. */
  stop(conversationId: string): Promise<boolean>;
  /** Returns whether the holder of this lease was requested to stop. */
  isStopped(lease: Lease): Promise<boolean>;
  /** Releases the lease and stores the turn's last events. Does nothing if another process has taken the lease. */
  release(lease: Lease, events?: EventBatch | null): Promise<void>;
}

/** A message of an input, not yet stored. */
export interface InputMessage {
  /** Identifies the message. A conversation accepts each key only once. */
  readonly idempotencyKey: string;
  /** Who wrote the message: the user, or the program that runs the agent. Default `user`. */
  readonly role?: "user" | "system";
  /** The writer's name, if known. */
  readonly speaker?: string;
  /** The trust class of the text. Default `user`. */
  readonly trust?: Trust;
  readonly content: readonly ContentPart[];
}

/** What is stored with a turn besides its messages, so that another process can continue it. */
export interface TurnTerms {
  /** The options with which the turn was requested, as JSON. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Whether servers continue the turn if its process ends. */
  readonly isServed: boolean;
}

export const noTerms: TurnTerms = { options: {}, isServed: false };

/** An input of a turn: messages that are committed together. */
export interface QueuedInput {
  /** The turn that is to answer the input, unless another turn takes the input over. */
  readonly turnId?: string;
  /** Terms of that turn. Default `noTerms`. */
  readonly terms?: TurnTerms;
  /** The messages in their order. The key of the first one is the input's key in the queue. */
  readonly messages: readonly [InputMessage, ...InputMessage[]];
}

export function queueKeyOf({ messages }: Pick<QueuedInput, "messages">): string {
  return messages[0].idempotencyKey;
}

/** Returns the error for an idempotency key that the conversation has had. */
export function inputRepeated(): RequestError {
  return new RequestError(
    "input_repeated",
    "An input with this idempotency key was accepted before. Nothing was written.",
  );
}

/** Listens for notifications ("calls") that a queued input is the next in its conversation. */
export interface Call {
  /** Whether the connection for calls is up. If not, the sender polls. */
  readonly isLive: boolean;
  /**
   * Resolves after `ms`, or earlier when the input is called or if it was called since the last wait. Rejects with the signal's
   * reason.
   */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Stops listening. */
  end(): void;
}

/** The queue of a conversation's inputs. */
export interface InputStore {
  /**
   * Queues an input. A queued input with this key whose sender is gone waits again, with its stored messages and position.
   * Throws RequestError `input_repeated` for any other key that the conversation has had.
   */
  enqueue(conversationId: string, input: QueuedInput): Promise<void>;
  /** Records that the sender of a queued input still waits. Does nothing if the input is no longer queued. */
  renew(conversationId: string, idempotencyKey: string): Promise<void>;
  /** Withdraws a queued input. Returns false if it no longer waits, because another process has taken it. */
  withdraw(conversationId: string, idempotencyKey: string): Promise<boolean>;
  /**
   * Listens for calls of a queued input. A call is sent when the lease is released and the input is the next. Returns
   * null if the database cannot notify.
   */
  listen(conversationId: string, idempotencyKey: string): Call | null;
  /** Returns the queued inputs whose sender no longer polls, oldest first. */
  abandoned(conversationId: string): Promise<readonly QueuedInput[]>;
}

/**
 * The writes of a turn, each one transaction. All except `begin` throw, with nothing written, RequestError `lease_lost` if
 * another process has taken the lease, and `agent_busy` if the conversation's leaf is not the parent of the (first) message.
 */
export interface TurnStore {
  /**
   * Begins a turn: appends its messages, takes the lease unless one is given, and returns the current revisions of the
   * modules and the version of the window. Returns null, with nothing written, if (1) the lease is not available at
   * once, (2) inputs wait, (3) an adopted input is no longer queued, or (4) the leaf is not `leafId`. Throws, with
   * nothing written, RequestError `input_repeated` if the conversation has had one of the keys and, if a lease was
   * given, the errors of the other writes. With `expected`, returns null instead of throwing.
   */
  begin(turn: TurnBeginning): Promise<BegunTurn | null>;
  /** Writes the assistant's message, its tool calls as pending, and the log entry of the model call. */
  commitReply(reply: ReplyCommit): Promise<void>;
  /**
   * Writes a tool's result together with all memory changes that the tool made. Throws RevisionConflictError with nothing
   * written.
   */
  commitToolResult(result: ToolResultCommit): Promise<void>;
  /** Writes messages that the runtime itself creates: heartbeats, alerts, the boot sequence. */
  append(lease: Lease, messages: readonly StoredMessage[]): Promise<void>;
  /**
   * Writes core memory changes that a model made without a tool. The conversation's leaf is not checked, so `agent_busy` is
   * never thrown. Throws RevisionConflictError with nothing written.
   */
  commitMemory(edit: MemoryCommit): Promise<void>;
}

/** Consecutive events of one turn. */
export interface EventBatch {
  readonly turnId: string;
  /** Numbers of the first and the last event. */
  readonly first: number;
  readonly last: number;
  /** The text that `encodeEvents` writes; null if the events are not stored. */
  readonly events: string | null;
  /** How the turn ended; only if the last event is the end of the turn. */
  readonly end?: { readonly stopReason: string; readonly errorCode: string | null } | null;
}

/** The current revision and version of a module, which a session compares with those that it has read. */
export type ModuleVersion = Pick<ModuleRecord, "label" | "id" | "revision" | "version">;

export interface BegunInput {
  readonly idempotencyKey: string;
  readonly messageId: string;
  /** Whether another sender queued the input; that sender may withdraw it until the turn begins. Default false. */
  readonly isAdopted?: boolean;
}

export interface TurnBeginning {
  readonly agentId: string;
  readonly conversationId: string;
  /** The held lease, or the claimant that requests one. */
  readonly lease: Lease | Pick<LeaseRequest, "claimant">;
  readonly ttlMs: number;
  readonly leafId: string | null;
  readonly messages: readonly StoredMessage[];
  /** Which of the messages are inputs, with their keys. A conversation accepts each key only once. */
  readonly inputs: readonly BegunInput[];
  /** The last count of what searches can find, so that only later changes are counted again. */
  readonly known?: SearchableMemory;
  /** The terms of the turn. Default `noTerms`. */
  readonly terms?: TurnTerms;
  /** Conditions for beginning the turn; default: none. */
  readonly expected?: ExpectedOpening;
}

/** Conditions for a turn of an agent that was kept open: its rows are unchanged since then, and the key is valid. */
export interface ExpectedOpening {
  /** The `version` of the `OpeningRecord` from which the agent was opened. */
  readonly version: string;
  /** The id of a key; the condition is that the user has this key and has not revoked it. Null: no such condition. */
  readonly keyId: string | null;
}

export interface BegunTurn {
  readonly lease: Lease;
  readonly windowVersion: number;
  readonly modules: readonly ModuleVersion[];
  /** What searches can find, without this turn's messages; null if the answer of the commit was lost. */
  readonly searchable: SearchableMemory | null;
}

export interface ReplyCommit extends Pick<ToolResultCommit, "agentId" | "lease" | "message" | "events"> {
  readonly step: StepRecord;
  /** Whether to release the lease in the same transaction. Default false. */
  readonly releasesLease?: boolean;
}

export interface MemoryCommit extends Pick<ToolResultCommit, "agentId" | "lease" | "changes" | "trust" | "external"> {
  /** The assistant message after which the change was made. Moving the leaf before it reverts the change. */
  readonly messageId: string;
}

export interface ToolResultCommit {
  readonly agentId: string;
  readonly lease: Lease;
  readonly message: StoredMessage;
  /**
   * The reply, if it has only this call and is to be written in the same transaction. Default: the reply is committed already.
   */
  readonly reply?: Pick<ReplyCommit, "message" | "step">;
  /** The assistant message that contains the call. */
  readonly callMessageId: string;
  readonly callId: string;
  readonly toolName: string;
  readonly status: "ok" | "failed" | "interrupted";
  readonly changes: readonly ModuleChange[];
  readonly passages: readonly NewPassage[];
  /** Trust class of the text that the tool wrote. `external`, below: external sources that were in the window. */
  readonly trust: Trust;
  readonly external?: readonly ExternalSource[];
  /** Events of the turn to store in the same transaction; default none. */
  readonly events?: EventBatch | null;
}
