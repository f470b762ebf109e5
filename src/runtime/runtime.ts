// The interface for front ends: all operations on agents, conversations and memory, for one user.
// Invariant: types only. `compose.ts` constructs a Runtime; the terminal, the command line and scripts use it.
import type { MessageBuffer, MessageBufferDeps } from "../context/buffer/message-buffer.ts";
import type { FileMetadata, FileInput } from "../base/message/file-part.ts";
import type { PlanOptions, PlannedContext } from "../memory/planner/query-planner.ts";
import type { StoreMaintenance } from "../store/port/store.ts";
import type { StorageUsage } from "../store/port/retention-store.ts";
import type { SearchHit } from "../tool/tool.ts";
import type { OperationGroups } from "./contracts.ts";
import type { McpOperations } from "./mcp.ts";

/** Limits of a context in tokens, messages and hits, and the conversation that its messages come from. */
export interface ContextOptions extends PlanOptions {
  /** The conversation that the last messages come from, by id; default the agent's most recent conversation. */
  readonly conversation?: string;
  /** Whether the hits in the archive count as accessed, which raises their rank in later searches. Default true. */
  readonly countsAccesses?: boolean;
}

/** A persona or human text that ships with the package. */
export interface Starter {
  readonly name: string;
  readonly text: string;
}

/**
 * A parameter `agent` is a name or an id, or `owner/name` for another user's agent. Every function throws RequestError
 * `agent_not_found` for an unknown agent. Functions that write also throw `grant_ended` if the user may only read the agent.
 */
export interface UserRuntime extends OperationGroups {
  /** The user of this runtime, which reads and writes only data of this user. */
  readonly userId: string;
  /** The model of agents that are created without one. */
  readonly defaultModel: string;
  /** Operations on the user of this runtime. */
  readonly user: {
    /** Returns how much the user has stored; null if nothing was ever stored for this user. */
    usage(): Promise<StorageUsage | null>;
    /**
     * Deletes the user with all agents, offers, conversations and archives. Other users keep their conversations and memory
     * with this user's agents. Throws RequestError `user_not_found`.
     */
    delete(): Promise<void>;
  };
  /**
   * Creates a message buffer with the configured sizes, search and summarizer; `deps` take precedence. If `json` is given,
   * restores a buffer, with the sizes in the JSON. The caller owns the buffer; its embedder is closed with the runtime. Throws
   * RequestError `buffer_invalid`.
   */
  createMessageBuffer(deps?: MessageBufferDeps, json?: unknown): MessageBuffer;
  /**
   * Returns the context for a query: the last messages of a conversation and the best hits of working memory, the buffer and
   * archival memory, within a number of tokens, with the reason for each hit. If a memory fails, the result has a warning.
   * Throws RequestError `conversation_not_found` and `input_invalid`.
   */
  getContext(agent: string, query: string, options?: ContextOptions): Promise<PlannedContext<SearchHit>>;
  /** Describes files that can be sent with a message. */
  readonly files: {
    /**
     * Returns the metadata of a file to send with a message; writes nothing. Throws RequestError `file_unreadable`,
     * `file_invalid` or `file_too_large`.
     */
    describe(file: FileInput): Promise<FileMetadata>;
  };
  /** The starters: persona and human texts that ship with the package. */
  readonly starters: {
    personas(): Promise<readonly Starter[]>;
    humans(): Promise<readonly Starter[]>;
  };
  /**
   * Resolves when the background work is done: vectors, synopses and retention. Does not wait for vectors that the embedder
   * cannot make at the moment.
   */
  idle(): Promise<void>;
  /**
   * Accepts no new turns and waits for running ones. Turns that run longer than `graceMs` are handed over: their messages stay,
   * and `resume` continues them in any process. Then waits like `idle`, but begins no further batch of vectors, and frees what
   * this process holds for the user.
   */
  close(options?: CloseOptions): Promise<void>;
}

export interface CloseOptions {
  /** How long to wait for running turns, in milliseconds, before they are handed over. Default 5,000. */
  readonly graceMs?: number;
}

/** The runtime of the only user of a store that the runtime opened itself: `close` also closes the store. */
export interface Runtime extends UserRuntime, StoreMaintenance {
  /** The servers of the Model Context Protocol that are configured for agents. */
  readonly mcp: McpOperations;
}
