// What a front end can ask for: every operation on agents, conversations and memory, for one user.
// Invariant: types only. `compose.ts` makes a Runtime; the terminal, the command line and scripts hold one.
import type { Agent } from "./agent/agent.ts";
import type { ConversationHistory, HistoryLimits, RolePrefix } from "./context/conversation-history.ts";
import type { BaseMemory } from "./memory/core/base-memory.ts";
import type { DiffRange, ModuleDiff } from "./memory/core/module-history.ts";
import type { UndoneRevision, UndoOptions } from "./memory/core/undo-edit.ts";
import type {
  AgentRecord,
  AgentSettings,
  ApprovalRecord,
  BranchRecord,
  ConversationRecord,
  ConversationSummary,
  Protocol,
  RevisionRecord,
  SweepRecord,
} from "./memory/records.ts";
import type { ArchivalPage, ArchivalSearch } from "./memory/archival/archival-memory.ts";
import type {
  ConversationMemory,
  NodeMemory,
  NodeMemoryOptions,
  PromptMemoryOptions,
} from "./memory/node/node-memory.ts";
import type { NodeMemoryRecord } from "./memory/node-memory-store.ts";
import type { PlannedContext, PlanOptions } from "./memory/planner/query-planner.ts";
import type { PassageRecord } from "./memory/passage-store.ts";
import type { FileProgress, LoadSummary } from "./memory/source-load.ts";
import type { SourceFileRecord, SourceRecord } from "./memory/source-store.ts";
import type { RecallWeights } from "./memory/recall-store.ts";
import type {
  AgentEmbeddings,
  DropOptions,
  DropResult,
  ReembedOptions,
  ReembedResult,
} from "./memory/vectors/reembedding.ts";
import type { Holdings } from "./memory/store.ts";
import type { SynopsisContext, SynopsisIdentity } from "./memory/synopsis-store.ts";
import type { OptimizeOptions, OptimizeReport } from "./memory/upkeep.ts";
import type { FileFacts, FileInput } from "./file-part.ts";
import type { Trust, Usage } from "./message.ts";
import type { ToolSelection } from "./tool/select-tools.ts";
import type { SearchHit, SearchPage } from "./tool/tool.ts";

export interface CreateAgentOptions {
  /** Unique among the user's agents. */
  readonly name: string;
  /** Default: the runtime's model. */
  readonly model?: string;
  readonly protocol?: Protocol;
  /** The type of a registered memory class; default `chat`. `scratchpad` is always there, too. */
  readonly memoryType?: string;
  /** Or a memory that is made already; its class must be registered. */
  readonly memory?: BaseMemory;
  /** Texts for the persona and human modules of a `ChatMemory`. */
  readonly persona?: string;
  readonly human?: string;
  /** Code points of each of these two modules. */
  readonly coreMemoryLimit?: number;
  readonly systemPrompt?: string;
  readonly settings?: Partial<AgentSettings>;
}

export interface OpenAgentOptions {
  /** `last` (the default) goes on with the conversation used last, or begins one; `new` begins one; else an id. */
  readonly conversation?: "last" | "new" | { readonly id: string };
  /** Makes the agent when there is none of that name. */
  readonly create?: Omit<CreateAgentOptions, "name">;
  /** Changes the agent from now on, when it exists already. */
  readonly model?: string;
  /** How its tools differ from the defaults; in place of what the runtime says for all agents. */
  readonly tools?: ToolSelection;
}

/** A module with its place in the prompt: lengths and limit count code points. */
export interface ModuleView {
  readonly label: string;
  readonly scope: "agent" | "user";
  readonly description: string | null;
  readonly value: string;
  readonly length: number;
  readonly limit: number;
  readonly readOnly: boolean;
  readonly revision: number;
  /** Of the value. */
  readonly trust: Trust;
}

export interface PageOptions {
  /** 0-based. */
  readonly page?: number;
  readonly pageSize?: number;
}

export interface RecallOptions extends PageOptions {
  /** How many messages before and after each hit come with it; default none. */
  readonly neighbours?: number;
  /** Also what is on no conversation's thread: popped messages, and answers that a retry took back. */
  readonly includeAbandoned?: boolean;
}

/** How much of everything that memory has: tokens, messages, hits; and of which conversation. */
export interface ContextOptions extends PlanOptions {
  /** The id of the conversation whose end is told; default the agent's last one. */
  readonly conversation?: string;
}

/** Narrows and weighs a search of archival memory. Of two filters both hold. */
export interface ArchivalOptions extends PageOptions, Omit<ArchivalSearch, "query" | "page" | "pageSize"> {}

/** A passage to store. Its time is the present unless given, its kind `memory`, its importance 0.5. */
export interface PassageInput
  extends Pick<PassageRecord, "content">,
    Partial<Pick<PassageRecord, "tags" | "kind" | "importance" | "at">> {}
export interface RecallSearchOptions extends RecallOptions {
  /** Only what was said on these days, `YYYY-MM-DD`, both included, in the agent's time zone. */
  readonly start?: string;
  readonly end?: string;
  /** What counts how much in the ranking, in place of what was measured to be best. */
  readonly weights?: Partial<RecallWeights>;
}

/** A message that was said elsewhere. */
export interface ImportedMessage {
  readonly role: "user" | "assistant";
  /** Who said it, by name, where a role says too little. */
  readonly speaker?: string;
  readonly text: string;
  readonly at: Date;
}

export interface ConversationImport {
  /** In the order in which they were said. */
  readonly messages: readonly ImportedMessage[];
  readonly title?: string;
}

/** Which history: after Dify's TokenBufferMemory. Its limits count messages, not rounds. */
export interface HistoryOptions extends HistoryLimits {
  /** The id of a conversation of the user's. */
  readonly conversation: string;
  /** The id of the message that it ends with; default the one that the conversation stands on. */
  readonly leaf?: string;
  /** Also gives the history as a text, each message after this and a colon. */
  readonly rolePrefix?: RolePrefix;
  /** The current question; it is given back beside the history, in its template, and counts to no limit. */
  readonly query?: string;
  /** Has the question where it says `{{#sys.query#}}`; default that alone. */
  readonly queryTemplate?: string;
}

export interface LoadOptions {
  readonly description?: string;
  /** Forget files of earlier loads that are gone, with their passages. */
  readonly prune?: boolean;
  /** Where names that are not absolute begin; default the process's own folder. */
  readonly folder?: string;
  readonly onProgress?: (progress: LoadProgress) => void;
  readonly signal?: AbortSignal;
}

/** First the files are read, then vectors are made of their passages; a search finds them by their words before that. */
export type LoadProgress =
  | (FileProgress & { readonly phase: "files" })
  | { readonly phase: "vectors"; readonly passagesDone: number; readonly passages: number };

export interface SourceLoad extends LoadSummary {
  readonly source: SourceRecord;
  /** Vectors that were made, and passages that still have none: the embedder failed, or there is none. */
  readonly vectors: { readonly made: number; readonly missing: number };
}

/** What is known of a node memory without reading it. `bytes`: of its object. */
export type NodeMemorySummary = Pick<
  NodeMemoryRecord,
  "app" | "conversation" | "node" | "messages" | "bytes" | "updatedAt"
>;

/** A part of a synopsis, with what it was made from and what that took. */
export interface SynopsisPartView<Content> {
  readonly content: Content;
  readonly trust: Trust;
  readonly madeAt: Date;
  readonly expiresAt: Date;
  /** Its lifetime is over. */
  readonly isStale: boolean;
  /** Passages that it was made from, and those that there was no room for. */
  readonly memories: number;
  readonly leftOut: number;
  /** Tokens of the passages that it was made from, and of the part as the prompt shows it. */
  readonly memoryTokens: number;
  readonly tokens: number;
  readonly model: string;
  /** Of the call that made it; parts that were made together have one call. */
  readonly usage: Usage;
  /** Null when the price is not known. */
  readonly dollars: number | null;
}

export interface SynopsisView {
  /** Whether the agent's setting lets it stand in the prompt. */
  readonly isOn: boolean;
  /** Null when there is none. */
  readonly identity: SynopsisPartView<SynopsisIdentity> | null;
  readonly context: SynopsisPartView<SynopsisContext> | null;
  /** As a prompt shows it; null when there is nothing to show. */
  readonly text: string | null;
  /** Tokens of the text, and of the memories that it stands for. */
  readonly tokens: number;
  readonly memoryTokens: number;
  /** What the text saves of the memories' tokens, in percent; below 0 when it is longer. Null without a text. */
  readonly savedPercent: number | null;
}

/** A text that ships with the package, for the persona or human module. */
export interface Starter {
  readonly name: string;
  readonly text: string;
}

/** Agents are named by name or id throughout. Every function throws RequestError `agent_not_found` for an unknown one. */
export interface Runtime {
  readonly userId: string;
  /** The model of agents that are made without naming one. */
  readonly defaultModel: string;
  readonly agents: {
    list(): Promise<readonly AgentRecord[]>;
    find(agent: string): Promise<AgentRecord>;
    /** Throws RequestError `agent_exists`, ConfigError for a text over its limit or an unknown model. */
    create(options: CreateAgentOptions): Promise<AgentRecord>;
    /**
     * Changes settings of an agent that exists; what is not named stays. It holds for agents that are opened from then on.
     * Throws ConfigError for a setting that is unknown or wrong. Only the owner can.
     */
    update(agent: string, settings: Partial<AgentSettings>): Promise<AgentRecord>;
    open(agent: string, options?: OpenAgentOptions): Promise<Agent>;
    delete(agent: string): Promise<void>;
    /** Another user may then converse with it: one persona, but a human module, history and archive of their own. */
    share(agent: string, userId: string): Promise<void>;
  };
  readonly conversations: {
    list(agent: string, limit?: number): Promise<readonly ConversationSummary[]>;
    /**
     * Deletes a conversation with its messages. What the agent put into its memory stays. Throws RequestError
     * `conversation_not_found`.
     */
    delete(conversationId: string): Promise<void>;
    /**
     * The ends of its tree, the one it stands on first, then newest first; `agent.switchTo` goes to one. Throws RequestError
     * `conversation_not_found`.
     */
    branches(conversationId: string): Promise<readonly BranchRecord[]>;
    /**
     * What was said up to a message, within limits, for another prompt; also on a branch that was left. Throws RequestError
     * `conversation_not_found`, `message_not_found` for a leaf that is not in the conversation, and `input_invalid`.
     */
    history(options: HistoryOptions): Promise<ConversationHistory>;
    /**
     * Keeps a conversation that was held elsewhere as one of the agent's, so that recall finds it; its messages have the class
     * `external`. Their vectors are made behind the scenes. Throws RequestError `input_invalid`, with nothing kept.
     */
    import(agent: string, conversation: ConversationImport): Promise<ConversationRecord>;
  };
  /** The user of this runtime, as a whole. */
  readonly user: {
    /** How much belongs to the user; null when nothing was ever kept for that name. */
    holdings(): Promise<Holdings | null>;
    /**
     * Deletes the user with everything that is theirs: agents with whatever other users have with them, conversations and
     * archives with agents of others, grants both ways. Throws RequestError `user_not_found`.
     */
    delete(): Promise<void>;
  };
  readonly approvals: {
    /** The user's tool calls that wait for approval, oldest first. Open the conversation of one to decide: `agent.approve`, `agent.deny`. */
    list(agent: string): Promise<readonly ApprovalRecord[]>;
  };
  readonly memory: {
    show(agent: string): Promise<readonly ModuleView[]>;
    /** A module as it was at a revision; 0 is before its first. Throws ModuleNotFoundError, RequestError `revision_not_found`. */
    at(agent: string, label: string, revision: number): Promise<ModuleView>;
    /** What changed in a module between two revisions, the last change by default. Throws as `at`. */
    diff(agent: string, label: string, range?: DiffRange): Promise<ModuleDiff>;
    /** Sets a module's whole text. Throws ModuleLimitError, ModuleNotFoundError, ModuleReadOnlyError. */
    set(agent: string, label: string, value: string): Promise<ModuleView>;
    revisions(
      agent: string,
      options?: { readonly label?: string; readonly limit?: number },
    ): Promise<readonly RevisionRecord[]>;
    /**
     * Takes back the last change that was not taken back yet, or the revision that is named; null when none is named and
     * there is none. Throws EditsStandOnError, RequestError `revision_not_found` and `undo_refused`, ModuleNotFoundError.
     */
    undo(agent: string, label?: string, options?: UndoOptions): Promise<UndoneRevision | null>;
  };
  readonly recall: {
    /**
     * By words and by meaning, best first; a query in double quotes finds exactly that text. Throws RequestError
     * `input_invalid` for numbers that are none, ToolError for what is no day.
     */
    search(agent: string, query: string, options?: RecallSearchOptions): Promise<SearchPage>;
    /** Days `YYYY-MM-DD`, both included. */
    searchDate(
      agent: string,
      days: { readonly start: string; readonly end: string },
      options?: RecallOptions,
    ): Promise<SearchPage>;
  };
  /**
   * What to tell a model that is asked this: the end of a conversation of the agent's, the last one by default, and the best of working and archival
   * memory, within a number of tokens; with what was taken, what was dropped, and why. A memory that fails is a warning. Throws
   * RequestError `conversation_not_found` and `input_invalid`.
   */
  getContext(agent: string, query: string, options?: ContextOptions): Promise<PlannedContext<SearchHit>>;
  /** Throws RequestError `input_invalid` for blank texts, unknown kinds and numbers out of range, with nothing stored. */
  readonly archival: {
    /** The agent's own, newest first. */
    list(
      agent: string,
      options?: PageOptions,
    ): Promise<{ readonly rows: readonly PassageRecord[]; readonly total: number }>;
    /** The agent's own and those of the sources attached to it, best first; each hit says why it was found. */
    search(agent: string, query: string, options?: ArchivalOptions): Promise<ArchivalPage>;
    /** Returns false when the same text was there already. */
    add(agent: string, content: string, options?: Pick<PassageInput, "tags" | "importance">): Promise<boolean>;
    /** Adds all or none, with the class `external`; returns how many were new. A text that is there already stays as it is. */
    import(agent: string, passages: readonly PassageInput[]): Promise<number>;
    /** All of the agent's own in the order in which they were added, read a piece at a time. */
    export(agent: string): AsyncIterable<PassageRecord>;
    /** Returns false when there is no such passage. */
    delete(agent: string, passageId: string): Promise<boolean>;
  };
  /** Named collections of files, by name or id. Every function throws RequestError `source_not_found` for an unknown one. */
  readonly sources: {
    /**
     * Loads files, folders and patterns into a source, which is made if there is none of that name. Only what is new or has
     * changed is read; a file that cannot be is told in the summary. Throws RequestError `input_invalid` for a bad name, and
     * the signal's reason; what was loaded until then stays, and the next load goes on from there.
     */
    load(source: string, inputs: readonly string[], options?: LoadOptions): Promise<SourceLoad>;
    list(): Promise<readonly SourceRecord[]>;
    show(source: string): Promise<SourceRecord>;
    /** What was loaded into it, by path. */
    files(source: string): Promise<readonly SourceFileRecord[]>;
    /**
     * Gives it another name; agents go on searching it. Throws RequestError `input_invalid` for a bad name and `source_exists`
     * for one that another source has; then nothing is changed.
     */
    rename(source: string, name: string): Promise<SourceRecord>;
    /** Deletes it with its passages, for every agent. */
    delete(source: string): Promise<void>;
    /** Lets an agent search it; copies nothing. False when it did already. */
    attach(agent: string, source: string): Promise<boolean>;
    /** False when it was not attached. */
    detach(agent: string, source: string): Promise<boolean>;
  };
  /**
   * By which embedders agents are searched. Agents by name or id, all where none are named. Each function throws RequestError
   * `reembedding_refused` when what stands does not allow it; then nothing has changed.
   */
  readonly embeddings: {
    list(agents?: readonly string[]): Promise<readonly AgentEmbeddings[]>;
    /**
     * Makes vectors of another embedder beside those that are searched, then switches in one transaction; what was searched is
     * kept. A run that ended early is gone on with by the next of the same embedder. What is new gets both meanwhile. An outage
     * is waited out. Throws ConfigError for an unknown embedder or another width than was said, EmbeddingError when it does not
     * work at the start, RequestError `input_invalid` for numbers out of range, and the signal's reason: what was made stays.
     */
    reembed(options: ReembedOptions): Promise<ReembedResult>;
    /** Goes back to what is kept, at once, and keeps what was searched. It can be done as often as one likes. */
    rollback(agents?: readonly string[]): Promise<readonly AgentEmbeddings[]>;
    /** Deletes what is kept, but for what other agents use. There is no way back then. */
    dropOld(options?: DropOptions): Promise<DropResult>;
    /** Gives up what is being built, and deletes it. */
    abandon(options?: DropOptions): Promise<DropResult>;
  };
  readonly retention: {
    /** Drops what the agent's retention lets go, of this user's, and tells what went. After turns it comes by itself once a day. */
    apply(agent: string): Promise<SweepRecord>;
    /** What was dropped before, newest first. */
    list(agent: string, limit?: number): Promise<readonly SweepRecord[]>;
  };
  /** Memories of single nodes of a workflow, in the user's objects. They need no agent. */
  readonly nodeMemory: {
    /** Throws RequestError `input_invalid` for a part of the key that is no plain word. */
    open(options: NodeMemoryOptions): NodeMemory;
    /**
     * What a workflow's configuration asks for: the memory of its node, or the history of the conversation (the default).
     * Throws ConfigError for an unknown mode, and for one that lacks what it needs: `node` has no memory without a
     * conversation.
     */
    forMode(options: PromptMemoryOptions): NodeMemory | ConversationMemory;
    /** Those that were last written longer ago than so many milliseconds, longest ago first. */
    listUnused(ageMs: number): Promise<readonly NodeMemorySummary[]>;
    /** Deletes those, and tells which they were. */
    prune(ageMs: number): Promise<readonly NodeMemorySummary[]>;
  };
  /** What the agent's archive says of the user, in short: docs/memory.md. */
  readonly synopsis: {
    show(agent: string): Promise<SynopsisView>;
    /** Makes both parts now, by one model call. Throws RequestError `synopsis_refused`; then the old one stays. */
    refresh(agent: string): Promise<SynopsisView>;
    /** Deletes it, also where conversations show it. Returns how many parts there were. */
    clear(agent: string): Promise<number>;
  };
  readonly files: {
    /**
     * What a file is that could be sent with a message; nothing is written. Throws RequestError `file_unreadable`,
     * `file_invalid` or `file_too_large`.
     */
    describe(file: FileInput): Promise<FileFacts>;
  };
  readonly starters: {
    personas(): Promise<readonly Starter[]>;
    humans(): Promise<readonly Starter[]>;
  };
  /** Writes the whole database to a file, and reads it back into an empty one. Of all users: for whoever owns the data. */
  backup(file: string): Promise<void>;
  restore(file: string): Promise<void>;
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

/** How a check of the doctor's went: `warning` is something to know or mend, `failed` keeps the program from working. */
export type Verdict = "ok" | "warning" | "failed";

/** One check of the doctor's. */
export interface Finding {
  /** Stable, for scripts: `node`, `folder`, `lock`, and so on, as docs/cli.md lists them. */
  readonly check: string;
  readonly verdict: Verdict;
  /** What was found, in a sentence. Never holds a key. */
  readonly found: string;
  /** What to do about it; null when there is nothing to do. */
  readonly advice: string | null;
}

export interface DoctorReport {
  readonly findings: readonly Finding[];
  /** What `repair` did, a sentence each. */
  readonly repairs: readonly string[];
}

/** An embedding model that can be named, with what is known of it before it is loaded. */
export interface EmbedderChoice {
  /** As `--embedding` takes it; `transformers/NAME` stands for all of a folder. */
  readonly name: string;
  /** The width of its vectors, and the tokens of a text that it reads; null: its own files say. */
  readonly dimensions: number | null;
  readonly windowTokens: number | null;
  readonly isRemote: boolean;
  /** What has to be there for it, in words; null for nothing. */
  readonly needs: string | null;
  /** Whether that is there by the settings. */
  readonly isReady: boolean;
  readonly isUsed: boolean;
}

/** How the lock of a data folder stands, and whether the doctor may remove it. */
export interface LockReport {
  readonly finding: Finding;
  /** `removable`: nobody on this host holds it, and it keeps everybody out. `held` must be left alone. */
  readonly kind: "free" | "removable" | "held";
}

/** Examines an installation. It needs no open Runtime, and what it cannot look at becomes a finding like any other. */
export interface Doctor {
  examine(options?: {
    /** Also makes one tiny model call. */
    readonly online?: boolean;
    /** Mends what can be mended before it looks. */
    readonly repair?: boolean;
    readonly signal?: AbortSignal;
  }): Promise<DoctorReport>;
  lock(): Promise<LockReport>;
  /** Removes a lock that is `removable`. Throws StoreError `store_locked` for one that is held. */
  unlock(): Promise<void>;
}
