// The port to the database for memory, context and agent. `src/store` implements it.
// Invariant: a UserStore reads and writes only its user's rows; there is no other way to a row.
import type { Trust } from "../../base/message/message.ts";
import type { IdentityStore } from "./identity-store.ts";
import type { AttachedFileStore } from "./attached-file-store.ts";
import type { BackupReport, RestoreReport } from "./backup.ts";
import type { CompactionStore } from "./compaction-store.ts";
import type { ListRange } from "./page.ts";
import type {
  AgentDetails,
  AgentRecord,
  ApprovalDecision,
  ApprovalRecord,
  BranchRecord,
  ChangeCause,
  ConversationRecord,
  ConversationSummary,
  DroppedRows,
  FormerAgentRecord,
  FoundMessage,
  MemorySnapshot,
  StateEntry,
  MessageLocation,
  MessagePage,
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
import type { Objects } from "../object-storage/objects.ts";
import type { AttachmentStore } from "./attachment-store.ts";
import type { EmbedderStore } from "./embedder-store.ts";
import type { ForgettingStore } from "./forgetting-store.ts";
import type { KeyStore, VerifiedKey } from "./key-store.ts";
import type { NodeMemoryStore } from "./node-memory-store.ts";
import type { OpeningStore } from "./opening-store.ts";
import type { PassageRecord, PassageStore } from "./passage-store.ts";
import type { ScheduleStore } from "./schedule-store.ts";
import type { SourceFileStore, SourceStore } from "./source-store.ts";
import type { StepStore } from "./step-store.ts";
import type { SharedModuleStore } from "./shared-module-store.ts";
import type { McpServerStore } from "./mcp-server-store.ts";
import type { StoredToolStore } from "./stored-tool-store.ts";
import type { SynopsisStore } from "./synopsis-store.ts";
import type { RecallStore } from "./recall-store.ts";
import type { TransferStore } from "./transfer-store.ts";
import type { TurnEventStore } from "./turn-event-store.ts";
import type { EventBatch, InputStore, Lease, LeaseStore, TurnStore } from "./turn-store.ts";
import type { LeftTurnStore } from "./left-turn-store.ts";
import type { TurnRecordStore } from "./turn-record-store.ts";
import type { OptimizeOptions, OptimizeReport } from "./upkeep.ts";

export interface NewAgent
  extends Omit<AgentRecord, "createdAt" | "ownerId" | keyof AgentDetails>,
    Partial<AgentDetails> {
  readonly modules: readonly NewModule[];
  /** Ids of modules to attach after these. Throws RequestError `module_unknown`. */
  readonly attached?: readonly string[];
}

/** An extension that is null is removed; those that are absent stay. */
export type AgentChange = Partial<Pick<AgentRecord, "name" | "model" | "systemPrompt" | "settings"> & AgentDetails>;

export interface AgentQuery extends ListRange {
  /** Only the agent of this name, as the user types it. */
  readonly name?: string;
  /** Only agents whose name or description contains this text, in any case. */
  readonly text?: string;
  /** Only agents with at least one of these tags; none: all agents. */
  readonly tags?: readonly string[];
  /** Only agents with all of the tags. Default false. */
  readonly matchAllTags?: boolean;
}

export interface AgentStore {
  /** Throws RequestError `agent_exists` if the user has an agent of that name or id. */
  create(agent: NewAgent): Promise<AgentRecord>;
  /**
   * Finds the user's own agent by name, another user's by `owner/name`, and either by id. Returns null if there is
   * none.
   */
  find(nameOrId: string): Promise<AgentRecord | null>;
  /** The user's own first, then those of other users. Default: all, oldest first. */
  list(query?: AgentQuery): Promise<readonly AgentRecord[]>;
  /** Number of agents that the user may use. */
  count(): Promise<number>;
  /** The tags of these agents, each once, in order. */
  tags(): Promise<readonly string[]>;
  /** Only the owner can. Throws RequestError `agent_not_found` and `agent_exists`. */
  update(agentId: string, change: AgentChange): Promise<void>;
  /**
   * As the owner: deletes the agent with the owner's data; other users keep theirs. As a user whose grant has ended:
   * deletes that user's data.
   */
  delete(agentId: string): Promise<void>;
  /** Offers the agent to another user, whether or not that user exists. Only the owner can. */
  share(agentId: string, userId: string): Promise<void>;
  /**
   * Withdraws an offer or ends a grant: the owner for another user, a user for themselves. Returns false if there was
   * neither.
   */
  unshare(agentId: string, userId: string): Promise<boolean>;
  /** Offers to the user, oldest first. */
  offers(): Promise<readonly OfferRecord[]>;
  /** Does nothing for an agent that was already accepted. Throws RequestError `offer_not_found`. */
  accept(agentId: string): Promise<void>;
  /** Throws RequestError `offer_not_found`. */
  decline(agentId: string): Promise<void>;
  /** Returns the other users who may use the agent or to whom it is offered. Only the owner can. */
  recipients(agentId: string): Promise<readonly RecipientRecord[]>;
  /** Returns the agents that the user may no longer use, most recently ended first. */
  former(): Promise<readonly FormerAgentRecord[]>;
}

export interface ModuleStore {
  /** Returns the agent's modules and the user's own, in the order of their definition. */
  list(agentId: string): Promise<readonly ModuleRecord[]>;
  /**
   * Adds modules that the user or the agent does not have yet; existing ones are unchanged. Modules of scope `agent`
   * are added only for the owner and skipped for other users.
   */
  addMissing(agentId: string, modules: readonly NewModule[]): Promise<void>;
  /**
   * Applies all changes in order, or none; a second change of the same module must name the revision that the first one
   * makes. Throws RevisionConflictError, and ModuleReadOnlyError for an agent module of another owner.
   */
  change(agentId: string, changes: readonly ModuleChange[], cause: ChangeCause): Promise<void>;
  /** Changes of the user's own modules and, for the owner, of the agent's; newest first. */
  revisions(agentId: string, options: RevisionQuery): Promise<readonly RevisionRecord[]>;
  /**
   * Returns the revisions that tool calls of these messages made, every later revision of the same modules, and the one
   * before the oldest; newest first.
   */
  madeBy(agentId: string, messageIds: readonly string[]): Promise<readonly RevisionRecord[]>;
}

export interface RevisionQuery {
  readonly label?: string;
  /** Only revisions with this number or higher. */
  readonly from?: number;
  /** Only revisions with this number or lower. */
  readonly through?: number;
  readonly limit: number;
}

/** A conversation that was held in another program. */
export interface ImportedConversation {
  readonly id: string;
  readonly agentId: string;
  readonly title: string | null;
  /** At least one, each the parent of the next. It is read again if the transaction is retried. */
  readonly messages: Iterable<StoredMessage>;
}

/** What a conversation was about; no text comes from outside. */
export interface EarlierConversation {
  readonly id: string;
  /** When it was last used. */
  readonly at: Date;
  readonly title: string | null;
  /** The beginning of its newest summary, or else of the user's first message. */
  readonly text: string;
  readonly trust: Trust;
}

export interface ConversationStore {
  /** Stores all of it or nothing. Its last use is the time of its last message. */
  import(conversation: ImportedConversation): Promise<ConversationRecord>;
  create(conversation: {
    readonly id: string;
    readonly agentId: string;
    readonly title?: string | null;
  }): Promise<ConversationRecord>;
  find(conversationId: string): Promise<ConversationRecord | null>;
  /** In the order of the last use; with one agent, or with every one (null). */
  list(agentId: string | null, range: ListRange): Promise<readonly ConversationSummary[]>;
  /** Returns what the agent's last `limit` other conversations with the user were about, newest first; fewer if that is from outside. */
  earlier(agentId: string, conversationId: string, limit: number): Promise<readonly EarlierConversation[]>;
  thread(conversationId: string): Promise<ThreadRecord>;
  /** Returns the ends of the tree: the current leaf first, then newest first. */
  branches(conversationId: string): Promise<readonly BranchRecord[]>;
  /** Returns the position of a message in its tree. Throws RequestError `message_not_found`. */
  place(conversationId: string, messageId: string): Promise<MessageLocation>;
  /**
   * Returns the last `limit` messages up to and including one, oldest first, on any branch. The cost is proportional to
   * what it reads, not to the conversation. Throws RequestError `message_not_found`.
   */
  path(conversationId: string, request: PathRequest): Promise<readonly StoredMessage[]>;
  /**
   * Returns messages of the thread before or after a message, with their calls and edits. Throws RequestError
   * `conversation_not_found`, and `message_not_found` for a cursor that is not on the thread.
   */
  page(conversationId: string, request: MessagePageRequest): Promise<MessagePage>;
  /** Returns one message on any branch, with its calls and edits; null for an unknown one. */
  message(messageId: string): Promise<FoundMessage | null>;
  /**
   * Sets or removes the title. Throws RequestError `conversation_not_found`, and `grant_ended` if the agent is no longer
   * shared with the user; nothing is written then.
   */
  rename(conversationId: string, title: string | null): Promise<ConversationRecord>;
  /**
   * Moves the leaf to an ancestor, or to nothing; recall no longer finds the messages left behind. Reverted memory is
   * changed in the same transaction. Throws RevisionConflictError with nothing moved.
   */
  moveLeaf(lease: Lease, move: LeafMove): Promise<LeafMoved>;
  /**
   * Stores core memory as the prompt shows it from now on, removes the state entries, and returns what was stored: without its
   * synopsis if a passage that the synopsis was made from is deleted. Throws RequestError `lease_lost` with nothing written.
   */
  saveSnapshot(lease: Lease, snapshot: MemorySnapshot): Promise<MemorySnapshot>;
  /** Stores the state entry after a message. Throws RequestError `lease_lost` with nothing written. */
  saveEntry(lease: Lease, messageId: string, entry: StateEntry): Promise<void>;
  /**
   * Deletes the conversation with its messages. Memory that it wrote is kept without the reference to it. Throws
   * RequestError `conversation_not_found`.
   */
  delete(conversationId: string): Promise<void>;
  /**
   * Creates a conversation with a copy of another one's thread. Throws RequestError `conversation_not_found`, and
   * `message_refused` for one without messages or with a call that has no result yet; nothing is written then.
   */
  fork(fork: ConversationFork): Promise<ConversationRecord>;
  /** Counts what interrupted or running turns have left unfinished. */
  countUnfinished(): Promise<UnfinishedCount>;
}

export interface ConversationFork {
  readonly conversationId: string;
  /** Id of the new conversation. */
  readonly id: string;
  /** Makes ids for the copied rows. */
  readonly newId: () => string;
}

export interface PathRequest {
  /** The last message to copy; null: the conversation's current leaf. */
  readonly through: string | null;
  /** 1 or more. */
  readonly limit: number;
}

export interface MessagePageRequest {
  /** The id of a message; null: the end of the thread, or its beginning for `after`. */
  readonly cursor: string | null;
  readonly direction: "before" | "after";
  /** Maximum messages, without tool results; 1 or more. */
  readonly limit: number;
}

export interface UnfinishedCount {
  /** Conversations whose leaf waits for the model or for a tool. */
  readonly conversations: number;
  /** Tool calls without a result. */
  readonly calls: number;
}

export interface LeafMove {
  readonly from: string | null;
  readonly to: string | null;
  /** Changes of core memory in order, with the user as origin. */
  readonly changes?: readonly ModuleChange[];
  /** What happens to passages that only tool calls of the abandoned messages added. Default `keep`. */
  readonly passages?: "keep" | "delete";
  /** Messages that replace some of those left behind, in the same transaction, oldest first. */
  readonly replacements?: readonly MessageReplacement[];
}

/** The memory changes of the replaced message's calls, and its files, are transferred to the new message. */
export interface MessageReplacement {
  readonly replaces: string;
  readonly message: StoredMessage;
}

export interface LeafMoved {
  /** Newest first. */
  readonly deletedPassages: readonly PassageRecord[];
}

/** Identifies a tool call. */
export type CallReference = Pick<ApprovalRecord, "conversationId" | "messageId" | "callId">;

/** Both writes throw RequestError `lease_lost`, with nothing written, if another process has taken the lease. */
/** Results of calls of one message. */
export interface CallAnswers {
  /** The assistant message that contains the calls. */
  readonly callMessageId: string;
  /** The messages with the results, in the order of `results`. */
  readonly messages: readonly StoredMessage[];
  readonly results: readonly { readonly callId: string; readonly status: "ok" | "failed" }[];
}

export interface ApprovalStore {
  /**
   * Suspends pending calls until someone decides or answers, all or none. Throws RequestError `approval_not_found` if one is not
   * pending. Stores events of the turn in the same transaction.
   */
  request(
    lease: Lease,
    calls: readonly Omit<ApprovalRecord, "decision" | "toolName">[],
    events?: EventBatch | null,
  ): Promise<void>;
  /** Makes the call pending again, with the decision. Throws RequestError `approval_not_found` if it does not wait. */
  decide(lease: Lease, call: CallReference, decision: ApprovalDecision): Promise<void>;
  /**
   * Stores the results of calls that wait for them, all or none. Throws RequestError `result_not_awaited` if one does not wait,
   * `lease_lost`, and `agent_busy` if the conversation's leaf is not the parent of the first message.
   */
  answer(lease: Lease, answer: CallAnswers): Promise<void>;
  /** Returns the calls of one message that wait or have waited, with or without a decision, in their order. */
  ofMessage(messageId: string): Promise<readonly ApprovalRecord[]>;
  /** Returns the definition in which the user approved a call of the tool last; null if none was stored. */
  lastDefinition(toolName: string): Promise<string | null>;
  /** Returns the calls that wait for approval on the threads of the user's conversations with the agent, oldest first. */
  waiting(agentId: string): Promise<readonly ApprovalRecord[]>;
}

/** The rows that one batch of a sweep may drop. */
export interface SweepPart extends Pick<SweepRecord, "id" | "agentId" | "limits" | "at"> {
  readonly kind: RetainedKind;
  /** Maximum number of rows. */
  readonly batch: number;
}

export interface RetentionStore {
  /** Starts a sweep. Returns false, with nothing written, if another was started after `unlessAfter`. */
  begin(
    sweep: Pick<SweepRecord, "id" | "agentId" | "limits" | "at"> & { readonly unlessAfter: Date | null },
  ): Promise<boolean>;
  /**
   * Drops the oldest rows that the limits allow to drop, and counts them in the sweep, in one transaction. Fewer rows
   * than the batch size: none is left.
   */
  drop(part: SweepPart): Promise<DroppedRows>;
  /** Returns whether the agent's own archive exceeds its limits. */
  isOver(agentId: string, limits: NonNullable<RetentionSettings["passages"]>): Promise<boolean>;
  /** Newest first. */
  list(agentId: string, limit: number): Promise<readonly SweepRecord[]>;
}

/** The amount of a user's data. */
export interface StorageUsage {
  /** Agents that the user owns. */
  readonly agents: number;
  /** Other users who may use at least one of them. */
  readonly sharedWith: number;
  readonly conversations: number;
  readonly messages: number;
  /** Passages of archives and of sources. */
  readonly passages: number;
  readonly sources: number;
}

export interface UsageStore {
  /** Returns null for an unknown user. */
  count(): Promise<StorageUsage | null>;
  /**
   * Deletes the user with all their data. Other users keep their data with agents that this user owned. Throws
   * RequestError `user_not_found`.
   */
  delete(): Promise<void>;
}

export interface UserStore {
  readonly userId: string;
  readonly agents: AgentStore;
  readonly modules: ModuleStore;
  readonly conversations: ConversationStore;
  readonly openings: OpeningStore;
  readonly compactions: CompactionStore;
  readonly leases: LeaseStore;
  readonly events: TurnEventStore;
  readonly inputs: InputStore;
  readonly turns: TurnStore;
  readonly turnRecords: TurnRecordStore;
  readonly leftTurns: LeftTurnStore;
  readonly steps: StepStore;
  readonly approvals: ApprovalStore;
  readonly attachments: AttachmentStore;
  /** Objects stored in the database. */
  readonly objects: Objects;
  readonly embedders: EmbedderStore;
  readonly nodeMemories: NodeMemoryStore;
  readonly recall: RecallStore;
  readonly passages: PassageStore;
  readonly sources: SourceStore;
  readonly sourceFiles: SourceFileStore;
  readonly attachedFiles: AttachedFileStore;
  readonly identities: IdentityStore;
  readonly usage: UsageStore;
  readonly retention: RetentionStore;
  readonly forgetting: ForgettingStore;
  readonly synopses: SynopsisStore;
  readonly schedules: ScheduleStore;
  readonly sharedModules: SharedModuleStore;
  readonly tools: StoredToolStore;
  readonly mcpServers: McpServerStore;
  readonly keys: KeyStore;
  readonly transfers: TransferStore;
}

export interface ConnectionCounts {
  /** Maximum number. */
  readonly max: number;
  /** Connections that are open, idle or in use. */
  readonly open: number;
  readonly idle: number;
  /** Transactions that wait for a connection. */
  readonly waiting: number;
}

export interface Store {
  /** Returns the store restricted to this user. The user's row is created on first use. */
  as(userId: string): UserStore;
  /** Finds a key by the SHA-256 of its secret, and records its use. Returns null for an unknown or revoked one. */
  verifyKey(hash: string): Promise<VerifiedKey | null>;
  /**
   * Returns the users who may have turns that servers are to continue. `andHeld`: also those of which the lease has not expired,
   * although its process may have ended.
   */
  usersWithLeftTurns(andHeld: boolean): Promise<readonly string[]>;
  /** Writes every row to a file; `restore` reads the file into an empty database. Both work on both engines. */
  backup(file: string): Promise<BackupReport>;
  restore(file: string): Promise<RestoreReport>;
  /**
   * Vacuums tables, updates statistics and builds the vector indexes that pay off. Requires the owner of the tables.
   */
  optimize(options?: OptimizeOptions): Promise<OptimizeReport>;
  /** Sends one statement. Throws StoreError if the database cannot be used. */
  ping(): Promise<void>;
  /** Returns the connections to the database, and the transactions that wait for one. */
  connections(): ConnectionCounts;
  close(): Promise<void>;
}
