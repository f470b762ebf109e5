// What a front end can ask for: every operation on agents, conversations and memory, for one user.
// Invariant: types only. `compose.ts` makes a Runtime; the terminal, the command line and scripts hold one.
import type { MessageBuffer, MessageBufferDeps } from "../buffer/message-buffer.ts";
import type { FileMetadata, FileInput } from "../message/file-part.ts";
import type { PlanOptions, PlannedContext } from "../memory/planner/query-planner.ts";
import type { ApprovalRecord, SweepRecord } from "../memory/records.ts";
import type { BackupReport, RestoreReport } from "../memory/backup.ts";
import type { StorageUsage } from "../memory/store.ts";
import type { OptimizeOptions, OptimizeReport } from "../memory/upkeep.ts";
import type { SearchHit } from "../tool/tool.ts";
import type { AgentOperations } from "./agents.ts";
import type { ArchivalOperations } from "./archival.ts";
import type { ConversationOperations } from "./conversations.ts";
import type { EmbeddingOperations } from "./embeddings.ts";
import type { MemoryOperations } from "./memory.ts";
import type { NodeMemoryOperations } from "./node-memory.ts";
import type { RecallOperations } from "./recall.ts";
import type { SourceOperations } from "./sources.ts";
import type { SynopsisOperations } from "./synopsis.ts";

/** How much of everything that memory has: tokens, messages, hits; and of which conversation. */
export interface ContextOptions extends PlanOptions {
  /** The id of the conversation whose end is told; default the agent's last one. */
  readonly conversation?: string;
}

/** A text that ships with the package, for the persona or human module. */
export interface Starter {
  readonly name: string;
  readonly text: string;
}

/**
 * Agents are named by name or id throughout, those of other users by `owner/name`. Every function throws RequestError
 * `agent_not_found` for an unknown one, and all but those that read throw `grant_ended` for one that may only be read.
 */
export interface Runtime {
  readonly userId: string;
  /** The model of agents that are made without naming one. */
  readonly defaultModel: string;
  readonly agents: AgentOperations;
  readonly conversations: ConversationOperations;
  /** The user of this runtime, as a whole. */
  readonly user: {
    /** How much belongs to the user; null when nothing was ever kept for that name. */
    usage(): Promise<StorageUsage | null>;
    /**
     * Deletes the user with everything that is theirs: agents, offers both ways, conversations and archives with agents of
     * other users. Other users keep what they have with agents of this one. Throws RequestError `user_not_found`.
     */
    delete(): Promise<void>;
  };
  readonly approvals: {
    /** The user's tool calls that wait for approval, oldest first. Open the conversation of one to decide: `agent.approve`, `agent.deny`. */
    list(agent: string): Promise<readonly ApprovalRecord[]>;
  };
  readonly memory: MemoryOperations;
  readonly recall: RecallOperations;
  /**
   * A message buffer as the configuration has it: its sizes, its search, and summaries by the configured model. What is given
   * here goes before that. With `json` it is made of a buffer's JSON, which has its own sizes. It belongs to the caller; its
   * embedder is closed with the runtime. Throws RequestError `buffer_invalid`.
   */
  createMessageBuffer(deps?: MessageBufferDeps, json?: unknown): MessageBuffer;
  /**
   * What to tell a model that is asked this: the end of a conversation of the agent's, the last one by default, and the best of
   * working memory, the buffer and archival memory, within a number of tokens; with what was taken, what was dropped, and why. A
   * memory that fails is a warning. Throws RequestError `conversation_not_found` and `input_invalid`.
   */
  getContext(agent: string, query: string, options?: ContextOptions): Promise<PlannedContext<SearchHit>>;
  readonly archival: ArchivalOperations;
  readonly sources: SourceOperations;
  readonly embeddings: EmbeddingOperations;
  readonly retention: {
    /** Drops what the agent's retention lets go, of this user's, and tells what went. After turns it comes by itself once a day. */
    apply(agent: string): Promise<SweepRecord>;
    /** What was dropped before, newest first. */
    list(agent: string, limit?: number): Promise<readonly SweepRecord[]>;
  };
  readonly nodeMemory: NodeMemoryOperations;
  readonly synopsis: SynopsisOperations;
  readonly files: {
    /**
     * What a file is that could be sent with a message; nothing is written. Throws RequestError `file_unreadable`,
     * `file_invalid` or `file_too_large`.
     */
    describe(file: FileInput): Promise<FileMetadata>;
  };
  readonly starters: {
    personas(): Promise<readonly Starter[]>;
    humans(): Promise<readonly Starter[]>;
  };
  /**
   * Writes the rows of all users to a file. Objects in a folder or an S3-compatible service are not in it: the report counts
   * them. Throws StoreError when the role does not own the tables.
   */
  backup(file: string): Promise<BackupReport>;
  /**
   * Reads a backup into an empty database, in one transaction. Throws StoreError: `backup_invalid`, or `store_failed` when the
   * database is not empty; then nothing has changed.
   */
  restore(file: string): Promise<RestoreReport>;
  /**
   * Cleans up the tables, renews the planner's statistics, and builds the indexes over vectors that pay: of tables of 20,001
   * vectors on, unless told otherwise. On a server nobody waits for it. On the embedded engine everybody does while an index
   * is built, about a minute for each 50,000 vectors. Throws StoreError when the role does not own the tables.
   */
  optimize(options?: OptimizeOptions): Promise<OptimizeReport>;
  /**
   * Resolves when what goes on beside turns is done: vectors of what was said and written, unless the embedder cannot make any
   * now, synopses, retention.
   */
  idle(): Promise<void>;
  close(): Promise<void>;
}
