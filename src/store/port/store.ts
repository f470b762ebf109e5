// The port to the database for memory, context and agent. `src/store` implements it.
// Invariant: a UserStore reads and writes only its user's rows; only the operations of `Store` itself reach rows of several
// users.
import type { Objects } from "../object-storage/objects.ts";
import type { AgentStore, ModuleStore } from "./agent-store.ts";
import type { ApprovalStore } from "./approval-store.ts";
import type { AttachedFileStore } from "./attached-file-store.ts";
import type { AttachmentStore } from "./attachment-store.ts";
import type { BackupReport, RestoreReport } from "./backup.ts";
import type { CompactionStore } from "./compaction-store.ts";
import type { AgentMessageStore } from "./agent-message-store.ts";
import type { ConsolidationStore } from "./consolidation-store.ts";
import type { ConversationStore } from "./conversation-store.ts";
import type { EmbedderStore } from "./embedder-store.ts";
import type { ForgettingStore } from "./forgetting-store.ts";
import type { KeyStore, VerifiedKey } from "./key-store.ts";
import type { UnfinishedTurnStore } from "./unfinished-turn-store.ts";
import type { McpServerStore } from "./mcp-server-store.ts";
import type { NodeMemoryStore } from "./node-memory-store.ts";
import type { OpeningStore } from "./opening-store.ts";
import type { PassageStore } from "./passage-store.ts";
import type { RecordStores } from "./record-kinds.ts";
import type { RecallStore } from "./recall-store.ts";
import type { RetentionStore, UsageStore } from "./retention-store.ts";
import type { ScheduleStore } from "./schedule-store.ts";
import type { SharedModuleStore } from "./shared-module-store.ts";
import type { SourceFileStore, SourceStore } from "./source-store.ts";
import type { StepStore, UserUsage } from "./step-store.ts";
import type { StoredToolStore } from "./stored-tool-store.ts";
import type { SynopsisStore } from "./synopsis-store.ts";
import type { TransferStore } from "./transfer-store.ts";
import type { TurnEventStore } from "./turn-event-store.ts";
import type { TurnRecordStore } from "./turn-record-store.ts";
import type { InputStore, LeaseStore, TurnStore } from "./turn-store.ts";
import type { OptimizeOptions, OptimizeReport } from "./upkeep.ts";

export interface UserStore extends RecordStores {
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
  readonly unfinishedTurns: UnfinishedTurnStore;
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
  readonly usage: UsageStore;
  readonly retention: RetentionStore;
  readonly forgetting: ForgettingStore;
  readonly agentMessages: AgentMessageStore;
  readonly consolidations: ConsolidationStore;
  readonly synopses: SynopsisStore;
  readonly schedules: ScheduleStore;
  readonly sharedModules: SharedModuleStore;
  readonly tools: StoredToolStore;
  readonly mcpServers: McpServerStore;
  readonly keys: KeyStore;
  readonly transfers: TransferStore;
}

export interface ConnectionCounts {
  /** Maximum number of connections. */
  readonly max: number;
  /** Number of open connections, idle or in use. */
  readonly open: number;
  readonly idle: number;
  /** Number of transactions that wait for a connection. */
  readonly waiting: number;
}

/** A user with data in the store. */
export interface StoredUser {
  readonly userId: string;
  readonly createdAt: Date;
  /** Number of the user's own agents. */
  readonly agents: number;
  /** When a message of the user's conversations was last written; null if none was. */
  readonly lastMessageAt: Date | null;
}

/** Operations on the rows of all users, as the role that owns the tables. */
export interface StoreMaintenance {
  /** Returns the users who have data, by id. Throws StoreError if the role does not own the tables. */
  listUsers(): Promise<readonly StoredUser[]>;
  /**
   * Returns the tokens of replies, summaries and consolidations since a moment, by user and model, as user limits count them.
   * Users without calls are absent. Throws StoreError if the role does not own the tables.
   */
  listUsage(since: Date): Promise<readonly UserUsage[]>;
  /**
   * Writes the rows of all users to a file. Objects in a folder or an S3-compatible service are not included; the report
   * counts them. Throws StoreError if the role does not own the tables.
   */
  backup(file: string): Promise<BackupReport>;
  /**
   * Restores a backup into an empty database, in one transaction. If it throws StoreError `backup_invalid`, or `store_failed`
   * because the database is not empty, nothing is changed.
   */
  restore(file: string): Promise<RestoreReport>;
  /**
   * Vacuums the tables, updates their statistics, and builds indexes for tables of at least 20,001 vectors (`minVectors`). On
   * a server, other connections continue to work. The embedded engine is blocked while an index is built: about one minute
   * per 50,000 vectors. Throws StoreError if the role does not own the tables.
   */
  optimize(options?: OptimizeOptions): Promise<OptimizeReport>;
}

export interface Store extends StoreMaintenance {
  /** Returns the store restricted to this user. The user's row is created on first use. */
  as(userId: string): UserStore;
  /** Finds a key by the SHA-256 of its secret, and records its use. Returns null for an unknown or revoked key. */
  verifyKey(hash: string): Promise<VerifiedKey | null>;
  /**
   * Returns the users who may have unfinished turns. `andHeld`: also those with turns whose lease has not expired,
   * because their process may have ended nevertheless.
   */
  usersWithUnfinishedTurns(andHeld: boolean): Promise<readonly string[]>;
  /** Sends one statement. Throws StoreError if the database cannot be used. */
  ping(): Promise<void>;
  /** Returns the connections to the database, and the transactions that wait for one. */
  connections(): ConnectionCounts;
  close(): Promise<void>;
}
