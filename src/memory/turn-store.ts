// The part of the store's port that a turn needs: the lease that lets it write, the queue of inputs, and its commits.
// Invariant: nothing of a turn is written without a lease, and nothing under a lease that somebody else has taken over.
import type { ContentPart, ExternalSource, Trust } from "../message/message.ts";
import type { ModuleChange, StepRecord, StoredMessage } from "./records.ts";
import type { NewPassage } from "./passage-store.ts";

/** The right to step a conversation. */
export interface Lease {
  readonly conversationId: string;
  /** Counts how often the conversation's lease was taken; a write that names an older one is refused. */
  readonly fence: number;
}

/** Who asks for a lease, and for how long it holds unless it is renewed. */
export interface LeaseRequest {
  readonly conversationId: string;
  /** Tells this one from all others that ask, in this process too. */
  readonly claimant: string;
  readonly ttlMs: number;
  /** The claimant's own input in the queue: those before it go first. Without one, all that wait go first. */
  readonly idempotencyKey?: string;
}

export type LeaseOutcome =
  | {
      readonly type: "taken";
      readonly lease: Lease;
      /** The message that the conversation stands on. */
      readonly leafId: string | null;
      /** Of its window. */
      readonly windowVersion: number;
    }
  | {
      readonly type: "busy";
      /** Who has it, in words for a person; null when nobody has and others wait. */
      readonly holder: string | null;
      /** Inputs that are to be answered first. */
      readonly ahead: number;
    }
  /** The claimant's input waits no more: somebody else took it for one whose sender has gone. */
  | { readonly type: "adopted" };

export interface LeaseStore {
  /**
   * Takes the lease if it is free, has expired, or is held by a process of this machine that no longer runs.
   * Throws RequestError `conversation_not_found`.
   */
  take(request: LeaseRequest): Promise<LeaseOutcome>;
  /** Throws RequestError `lease_lost` when somebody else has taken it. */
  renew(lease: Lease, ttlMs: number): Promise<void>;
  /** Lets others have it. Does nothing when somebody else has taken it. */
  release(lease: Lease): Promise<void>;
}

export interface QueuedInput {
  readonly idempotencyKey: string;
  readonly content: readonly ContentPart[];
}

/** The inputs of a conversation that wait for their turn. */
export interface InputStore {
  /**
   * Lets an input wait. One of the same key whose sender has gone is the same input, in its old place.
   * Throws RequestError `input_repeated` for any other key that the conversation has had.
   */
  enqueue(conversationId: string, input: QueuedInput): Promise<void>;
  /** False when the input does not wait any more, because somebody has taken it. */
  withdraw(conversationId: string, idempotencyKey: string): Promise<boolean>;
  /** Those whose sender has gone, oldest first. */
  abandoned(conversationId: string): Promise<readonly QueuedInput[]>;
}

/**
 * The writes of a turn, each one transaction. All but `begin` throw, with nothing written, RequestError `lease_lost` when
 * somebody else has taken the lease, and `agent_busy` when the conversation does not stand on the (first) message's parent.
 */
export interface TurnStore {
  /**
   * Appends what starts a turn, takes the lease unless it is held, and tells how the modules and the window stand now. Returns null, with
   * nothing written, when the lease is not to be had at once, inputs wait, or the conversation no longer stands on `leafId`.
   * Throws RequestError `input_repeated`, with nothing written, when the conversation has had one of the keys, and what the
   * others throw when a lease was given.
   */
  begin(turn: TurnBeginning): Promise<BegunTurn | null>;
  /** The assistant's message with its tool calls pending, and the step's log. */
  commitReply(reply: ReplyCommit): Promise<void>;
  /** A tool's result together with every memory change that the tool made. Throws RevisionConflictError with nothing written. */
  commitToolResult(result: ToolResultCommit): Promise<void>;
  /** Messages of the runtime's own: heartbeats, alerts, the boot sequence. */
  append(lease: Lease, messages: readonly StoredMessage[]): Promise<void>;
  /**
   * Changes of core memory that a model made without a tool, wherever the conversation stands: it never throws `agent_busy`.
   * Throws RevisionConflictError with nothing written.
   */
  commitMemory(edit: MemoryCommit): Promise<void>;
}

export interface ModuleVersion {
  readonly label: string;
  readonly revision: number;
}

export interface TurnBeginning {
  readonly agentId: string;
  readonly conversationId: string;
  /** The lease that is held, or who asks for it. */
  readonly lease: Lease | Pick<LeaseRequest, "claimant">;
  readonly ttlMs: number;
  readonly leafId: string | null;
  readonly messages: readonly StoredMessage[];
  /** The inputs among the messages. A key is accepted once in a conversation. */
  readonly inputs: readonly { readonly idempotencyKey: string; readonly messageId: string }[];
}

export interface BegunTurn {
  readonly lease: Lease;
  readonly windowVersion: number;
  readonly modules: readonly ModuleVersion[];
}

export interface ReplyCommit {
  readonly agentId: string;
  readonly lease: Lease;
  readonly message: StoredMessage;
  readonly step: StepRecord;
}

export interface MemoryCommit {
  readonly agentId: string;
  readonly lease: Lease;
  /** The assistant's message after which the change was made: going back behind it takes the change back. */
  readonly messageId: string;
  readonly changes: readonly ModuleChange[];
  /** Of what was written, and what from outside was in the window. */
  readonly trust: Trust;
  readonly external?: readonly ExternalSource[];
}

export interface ToolResultCommit {
  readonly agentId: string;
  readonly lease: Lease;
  readonly message: StoredMessage;
  /** The assistant's message that holds the call. */
  readonly callMessageId: string;
  readonly callId: string;
  readonly toolName: string;
  readonly status: "ok" | "failed" | "interrupted";
  readonly changes: readonly ModuleChange[];
  readonly passages: readonly NewPassage[];
  /** Of what the tool wrote, and what from outside was in the window. */
  readonly trust: Trust;
  readonly external?: readonly ExternalSource[];
}
