// The port to the database, as memory, context and agent see it. `src/store` implements it.
// Invariant: a UserStore sees and changes only what its user may; there is no other way to a row.
import type { BackupReport, RestoreReport } from "./backup.ts";
import type { CompactionStore } from "./compaction-store.ts";
import type {
  AgentRecord,
  ApprovalDecision,
  ApprovalRecord,
  BranchRecord,
  ChangeCause,
  ConversationRecord,
  ConversationSummary,
  DroppedRows,
  FormerAgentRecord,
  MemorySnapshot,
  MessageLocation,
  ModuleChange,
  ModuleRecord,
  NewModule,
  OfferRecord,
  RecipientRecord,
  RetainedKind,
  RetentionSettings,
  RevisionRecord,
  StoredMessage,
  SweepRecord,
  ThreadRecord,
} from "./records.ts";
import type { Objects } from "../objects/objects.ts";
import type { AttachmentStore } from "./attachment-store.ts";
import type { EmbedderStore } from "./embedder-store.ts";
import type { NodeMemoryStore } from "./node-memory-store.ts";
import type { PassageRecord, PassageStore } from "./passage-store.ts";
import type { SourceFileStore, SourceStore } from "./source-store.ts";
import type { StepStore } from "./step-store.ts";
import type { SynopsisStore } from "./synopsis-store.ts";
import type { RecallStore } from "./recall-store.ts";
import type { InputStore, Lease, LeaseStore, TurnStore } from "./turn-store.ts";
import type { OptimizeOptions, OptimizeReport } from "./upkeep.ts";

export interface NewAgent extends Omit<AgentRecord, "createdAt" | "ownerId"> {
  readonly modules: readonly NewModule[];
}

export interface AgentStore {
  /** Throws RequestError `agent_exists` when the user owns an agent of that name. */
  create(agent: NewAgent): Promise<AgentRecord>;
  /** An agent of the user's own by its name, one of another user's by `owner/name`, each by its id. Null when there is none. */
  find(nameOrId: string): Promise<AgentRecord | null>;
  /** The user's own first, then those of other users. */
  list(): Promise<readonly AgentRecord[]>;
  update(
    agentId: string,
    change: Partial<Pick<AgentRecord, "name" | "model" | "systemPrompt" | "settings">>,
  ): Promise<void>;
  /**
   * The owner deletes the agent with everything that the owner has with it; other users keep what they have. A user whose grant
   * has ended deletes what the user has kept.
   */
  delete(agentId: string): Promise<void>;
  /** Offers the agent to another user, whether or not there is one of that name. Only the owner can. */
  share(agentId: string, userId: string): Promise<void>;
  /** Withdraws an offer, ends a grant: the owner for another user, that user for themselves. False when there was neither. */
  unshare(agentId: string, userId: string): Promise<boolean>;
  /** Offers to the user, oldest first. */
  offers(): Promise<readonly OfferRecord[]>;
  /** Again for an agent that was accepted does nothing. Throws RequestError `offer_not_found`. */
  accept(agentId: string): Promise<void>;
  /** Throws RequestError `offer_not_found`. */
  decline(agentId: string): Promise<void>;
  /** The other users who may use the agent or to whom it is offered. Only the owner can ask. */
  recipients(agentId: string): Promise<readonly RecipientRecord[]>;
  /** Agents that the user may not use any more, the one that ended last first. */
  former(): Promise<readonly FormerAgentRecord[]>;
}

export interface ModuleStore {
  /** The agent's modules and the user's own, in the order in which they were defined. */
  list(agentId: string): Promise<readonly ModuleRecord[]>;
  /**
   * Adds modules that the user or the agent does not have yet; those that exist stay as they are.
   * Modules of scope `agent` are added for the owner alone: for other users they are left out.
   */
  addMissing(agentId: string, modules: readonly NewModule[]): Promise<void>;
  /**
   * Applies all changes in order, or none: a second one of a module names the revision that the first makes.
   * Throws RevisionConflictError; for an agent's module of another owner, ModuleReadOnlyError.
   */
  change(agentId: string, changes: readonly ModuleChange[], cause: ChangeCause): Promise<void>;
  /** Changes of the user's own modules and, for the owner, of the agent's; newest first. */
  revisions(agentId: string, options: RevisionQuery): Promise<readonly RevisionRecord[]>;
  /**
   * What tool calls of these messages changed, with every later revision of the same modules and the one before the
   * oldest; newest first.
   */
  madeBy(agentId: string, messageIds: readonly string[]): Promise<readonly RevisionRecord[]>;
}

export interface RevisionQuery {
  readonly label?: string;
  /** Only revisions of this number or a higher one. */
  readonly from?: number;
  /** Only revisions of this number or a lower one. */
  readonly through?: number;
  readonly limit: number;
}

/** A conversation that was held elsewhere. */
export interface ImportedConversation {
  readonly id: string;
  readonly agentId: string;
  readonly title: string | null;
  /** One at least, each the parent of the next. */
  readonly messages: readonly StoredMessage[];
}

export interface ConversationStore {
  /** Keeps it as it was: it counts as last used when its last message was said. All of it is kept, or nothing. */
  import(conversation: ImportedConversation): Promise<ConversationRecord>;
  create(conversation: { readonly id: string; readonly agentId: string }): Promise<ConversationRecord>;
  find(conversationId: string): Promise<ConversationRecord | null>;
  /** Most recently used first. */
  list(agentId: string, limit: number): Promise<readonly ConversationSummary[]>;
  thread(conversationId: string): Promise<ThreadRecord>;
  /** The ends of its tree: the one it stands on first, then newest first. */
  branches(conversationId: string): Promise<readonly BranchRecord[]>;
  /** Where a message of its tree stands. Throws RequestError `message_not_found`. */
  place(conversationId: string, messageId: string): Promise<MessageLocation>;
  /**
   * The last `limit` messages on the way to one, it included, oldest first; on any branch. Costs what it reads, however long
   * the conversation is. Throws RequestError `message_not_found`.
   */
  path(conversationId: string, request: PathRequest): Promise<readonly StoredMessage[]>;
  /**
   * Moves the leaf back to an ancestor, or to nothing; what is left behind is no longer found by recall. What is taken
   * back of memory goes with it, in the same transaction. Throws RevisionConflictError with nothing moved.
   */
  moveLeaf(lease: Lease, move: LeafMove): Promise<LeafMoved>;
  /**
   * Keeps core memory as it stands in the prompt from now on, and returns what is kept: without its synopsis when a passage
   * that this was made from is gone. Throws RequestError `lease_lost` with nothing written.
   */
  saveSnapshot(lease: Lease, snapshot: MemorySnapshot): Promise<MemorySnapshot>;
  /**
   * Deletes the conversation with its messages. What it left in memory stays, and no longer names it. Throws RequestError
   * `conversation_not_found`.
   */
  delete(conversationId: string): Promise<void>;
  /**
   * A conversation that begins as another one stands. Throws RequestError `conversation_not_found`, and `message_refused` for
   * one in which nothing was said, or a call has no result yet; with nothing written.
   */
  fork(fork: ConversationFork): Promise<ConversationRecord>;
  /** What turns have left that were broken off, or are running now. */
  countUnfinished(): Promise<UnfinishedCount>;
}

export interface ConversationFork {
  readonly conversationId: string;
  /** Of the new one. */
  readonly id: string;
  /** For what is copied. */
  readonly newId: () => string;
}

export interface PathRequest {
  /** The message at the end; null: the one that the conversation stands on. */
  readonly through: string | null;
  /** 1 or more. */
  readonly limit: number;
}

export interface UnfinishedCount {
  /** Conversations that stand on something that waits for the model or for a tool. */
  readonly conversations: number;
  /** Tool calls without a result. */
  readonly calls: number;
}

export interface LeafMove {
  readonly from: string | null;
  readonly to: string | null;
  /** Changes of core memory, in order, as the user's. */
  readonly changes?: readonly ModuleChange[];
  /** What becomes of passages that tool calls of the messages left behind have added, and nobody else. Default `keep`. */
  readonly passages?: "keep" | "delete";
  /** Messages that stand there in the place of some that are left behind, in the same transaction, oldest first. */
  readonly replacements?: readonly MessageReplacement[];
}

/** What the calls of the replaced message did to memory, and its files, are from then on the message's. */
export interface MessageReplacement {
  readonly replaces: string;
  readonly message: StoredMessage;
}

export interface LeafMoved {
  /** Newest first. */
  readonly deletedPassages: readonly PassageRecord[];
}

/** Which call of which message. */
export type CallReference = Pick<ApprovalRecord, "conversationId" | "messageId" | "callId">;

/** Both writes throw RequestError `lease_lost`, with nothing written, when somebody else has taken the lease. */
export interface ApprovalStore {
  /** Sets a pending call aside until someone decides. Throws RequestError `approval_not_found` when it is not pending. */
  request(lease: Lease, approval: Omit<ApprovalRecord, "decision" | "toolName">): Promise<void>;
  /** Makes the call pending again, with the decision. Throws RequestError `approval_not_found` when it does not wait. */
  decide(lease: Lease, call: CallReference, decision: ApprovalDecision): Promise<void>;
  /** The calls of one message about which approval was asked, whatever was decided, in their order. */
  ofMessage(messageId: string): Promise<readonly ApprovalRecord[]>;
  /** The calls on the threads of the user's conversations with the agent that wait, oldest first. */
  waiting(agentId: string): Promise<readonly ApprovalRecord[]>;
}

/** Which sweep drops what. */
export interface SweepPart extends Pick<SweepRecord, "id" | "agentId" | "limits" | "at"> {
  readonly kind: RetainedKind;
  /** At most so many rows. */
  readonly batch: number;
}

export interface RetentionStore {
  /** Begins a sweep. False, with nothing written, when another was begun after `unlessAfter`. */
  begin(
    sweep: Pick<SweepRecord, "id" | "agentId" | "limits" | "at"> & { readonly unlessAfter: Date | null },
  ): Promise<boolean>;
  /** Drops the oldest rows that may go, and counts them in the sweep, in one transaction. Fewer than a batch: none is left. */
  drop(part: SweepPart): Promise<DroppedRows>;
  /** Whether the agent's own archive has more than it may. */
  isOver(agentId: string, limits: NonNullable<RetentionSettings["passages"]>): Promise<boolean>;
  /** Newest first. */
  list(agentId: string, limit: number): Promise<readonly SweepRecord[]>;
}

/** How much belongs to a user. */
export interface StorageUsage {
  /** Those that the user owns. */
  readonly agents: number;
  /** Other users who may use one of them. */
  readonly sharedWith: number;
  readonly conversations: number;
  readonly messages: number;
  /** Of archives and of sources. */
  readonly passages: number;
  readonly sources: number;
}

export interface UsageStore {
  /** Null for a user who is not known. */
  count(): Promise<StorageUsage | null>;
  /**
   * Deletes the user with everything that is theirs. Other users keep what they have with agents that this user owned. Throws
   * RequestError `user_not_found`.
   */
  delete(): Promise<void>;
}

export interface UserStore {
  readonly userId: string;
  readonly agents: AgentStore;
  readonly modules: ModuleStore;
  readonly conversations: ConversationStore;
  readonly compactions: CompactionStore;
  readonly leases: LeaseStore;
  readonly inputs: InputStore;
  readonly turns: TurnStore;
  readonly steps: StepStore;
  readonly approvals: ApprovalStore;
  readonly attachments: AttachmentStore;
  /** Bytes in the database. */
  readonly objects: Objects;
  readonly embedders: EmbedderStore;
  readonly nodeMemories: NodeMemoryStore;
  readonly recall: RecallStore;
  readonly passages: PassageStore;
  readonly sources: SourceStore;
  readonly sourceFiles: SourceFileStore;
  readonly usage: UsageStore;
  readonly retention: RetentionStore;
  readonly synopses: SynopsisStore;
}

export interface Store {
  /** What this user may see and change. The user is made known to the database on first use. */
  as(userId: string): UserStore;
  /** Writes every row to a file; `restore` reads it into an empty database. Both work on both engines. */
  backup(file: string): Promise<BackupReport>;
  restore(file: string): Promise<RestoreReport>;
  /** Cleans up, renews statistics and builds the indexes over vectors that pay. For whoever owns the tables. */
  optimize(options?: OptimizeOptions): Promise<OptimizeReport>;
  close(): Promise<void>;
}
