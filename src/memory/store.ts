// The port to the database, as memory, context and agent see it. `src/store` implements it.
// Invariant: a UserStore sees and changes only what its user may; there is no other way to a row.
import type { ContentPart, Role, Usage } from "../message.ts";

export type Protocol = "native" | "heartbeat";

/** What can be set per agent. All lengths are code points, all shares are of the context window. */
export interface AgentSettings {
  /** Tokens of the window; null takes the model's. */
  readonly contextWindow: number | null;
  /** Model calls that one turn may make. */
  readonly maxSteps: number;
  /** The longest tool result that the model is shown whole. */
  readonly toolResultLimit: number;
  readonly maxOutputTokens: number;
  /** Messages that a compaction keeps as they are. */
  readonly keepLast: number;
  /** Share of the window at which the model is warned. */
  readonly warnAt: number;
  /** Share of the window at which older messages are summarized. */
  readonly compactAt: number;
  /** IANA name; days in searches are days there. */
  readonly timeZone: string;
  /** Code points of the modules that a new user of the agent gets. */
  readonly coreMemoryLimit: number;
  /** Default tools that this agent does not have. */
  readonly removedTools: readonly string[];
}

export interface AgentRecord {
  readonly id: string;
  /** The user who made the agent. */
  readonly ownerId: string;
  readonly name: string;
  readonly model: string;
  readonly protocol: Protocol;
  readonly memoryType: string;
  readonly systemPrompt: string;
  readonly settings: AgentSettings;
  readonly createdAt: Date;
}

/** Whose a module is: one for the agent, or one for each user of the agent. */
export type ModuleScope = "agent" | "user";

/** A module as it is stored. */
export interface ModuleRecord {
  readonly label: string;
  readonly scope: ModuleScope;
  readonly description: string | null;
  readonly value: string;
  readonly limit: number;
  readonly readOnly: boolean;
  /** Counts the changes of this module; what a compare-and-swap compares. */
  readonly revision: number;
}

/** Who made a change. */
export type Origin = "model" | "user" | "api" | "import";

/** One change of one module. */
export interface RevisionRecord {
  readonly label: string;
  readonly revision: number;
  readonly before: string;
  readonly after: string;
  readonly origin: Origin;
  readonly toolName: string | null;
  readonly callId: string | null;
  readonly messageId: string | null;
  readonly conversationId: string | null;
  /** The revision that this one took back. */
  readonly undoes: number | null;
  readonly at: Date;
}

/** A change to apply if the module is still at `revision`. */
export interface ModuleChange {
  readonly label: string;
  readonly scope: ModuleScope;
  readonly revision: number;
  readonly before: string;
  readonly after: string;
  readonly undoes?: number;
}

/** What caused a change: kept with its revision. */
export interface ChangeCause {
  readonly origin: Origin;
  readonly conversationId?: string;
  readonly messageId?: string;
  readonly callId?: string;
  readonly toolName?: string;
}

export interface ConversationRecord {
  readonly id: string;
  readonly agentId: string;
  readonly title: string | null;
  /** The message that the conversation stands on; null while it is empty. */
  readonly leafId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A conversation in a listing: `preview` is what the user said first, clipped. */
export interface ConversationSummary extends ConversationRecord {
  readonly messages: number;
  readonly preview: string;
}

/** `event` messages are the runtime's own (logins, heartbeats, alerts): not shown to people, not found by recall. */
export type MessageKind = "message" | "event";
export type MessageStatus = "complete" | "interrupted";

export interface StoredMessage {
  readonly id: string;
  readonly parentId: string | null;
  readonly turnId: string;
  readonly role: Role;
  readonly kind: MessageKind;
  readonly status: MessageStatus;
  readonly content: readonly ContentPart[];
  /** The words that people saw: what recall searches. */
  readonly text: string;
  /** Tokens of the content, by the counter of the agent's model. */
  readonly tokens: number;
  readonly at: Date;
}

/** The part of a thread that is in the window: what the last compaction kept and all that came after. */
export interface ThreadRecord {
  readonly messages: readonly StoredMessage[];
  readonly compaction: CompactionRecord | null;
}

export interface CompactionRecord {
  readonly id: string;
  readonly summary: string;
  /** The last message that the summary stands for. */
  readonly throughId: string;
  readonly messages: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly at: Date;
}

export interface NewPassage {
  readonly id: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly kind: "memory" | "fact" | "document";
  /** When it was made; the database's clock unless given. */
  readonly at?: Date;
}

export interface PassageRecord extends NewPassage {
  readonly origin: Origin;
  readonly at: Date;
}

/** A model call as it is logged. `report` is what the window held. */
export interface StepRecord {
  readonly id: string;
  readonly turnId: string;
  readonly number: number;
  readonly model: string;
  readonly finish: string;
  readonly usage: Usage;
  readonly report: Readonly<Record<string, unknown>>;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** All matches, not those of the page. */
  readonly total: number;
}

/** A half-open span of time. */
export interface TimeSpan {
  readonly from?: Date;
  readonly before?: Date;
}

export interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
}

export interface RecallQuery extends PageRequest {
  readonly agentId: string;
  /** Words or a literal; absent: every message of the span. */
  readonly text?: string;
  readonly span?: TimeSpan;
  /** Messages made in this turn are left out, so that a question does not find itself. */
  readonly exceptTurnId?: string;
}

export interface PassageQuery extends PageRequest {
  readonly agentId: string;
  readonly text: string;
  /** The query's vector, or null to search by words alone. */
  readonly vector: readonly number[] | null;
  /** Who made `vector`: only passages' vectors of the same embedder are compared. Absent: any of that width. */
  readonly embedder?: string;
  /** Any of them. */
  readonly tags?: readonly string[];
  readonly span?: TimeSpan;
}

export interface NewAgent extends Omit<AgentRecord, "createdAt" | "ownerId"> {
  readonly modules: readonly Omit<ModuleRecord, "revision">[];
}

export interface AgentStore {
  /** Throws RequestError `agent_exists` when the user owns an agent of that name. */
  create(agent: NewAgent): Promise<AgentRecord>;
  /** By name or id, among the user's own agents first, then those shared with the user. Null when there is none. */
  find(nameOrId: string): Promise<AgentRecord | null>;
  list(): Promise<readonly AgentRecord[]>;
  update(
    agentId: string,
    change: Partial<Pick<AgentRecord, "name" | "model" | "systemPrompt" | "settings">>,
  ): Promise<void>;
  /** Deletes the agent and everything that any user has with it. Only the owner can. */
  delete(agentId: string): Promise<void>;
  /** Lets another user converse with the agent. Only the owner can. */
  share(agentId: string, userId: string): Promise<void>;
}

export interface ModuleStore {
  /** The agent's modules and the user's own, in the order in which they were defined. */
  list(agentId: string): Promise<readonly ModuleRecord[]>;
  /**
   * Adds modules that the user or the agent does not have yet; those that exist stay as they are.
   * Modules of scope `agent` are added for the owner alone: for other users they are left out.
   */
  addMissing(agentId: string, modules: readonly Omit<ModuleRecord, "revision">[]): Promise<void>;
  /** Applies all changes, one per label, or none. Throws RevisionConflictError; for an agent's module of another owner, ModuleReadOnlyError. */
  change(agentId: string, changes: readonly ModuleChange[], cause: ChangeCause): Promise<void>;
  /** Changes of the user's own modules and, for the owner, of the agent's; newest first. */
  revisions(
    agentId: string,
    options: { readonly label?: string; readonly limit: number },
  ): Promise<readonly RevisionRecord[]>;
}

export interface ConversationStore {
  create(conversation: { readonly id: string; readonly agentId: string }): Promise<ConversationRecord>;
  find(conversationId: string): Promise<ConversationRecord | null>;
  /** Most recently used first. */
  list(agentId: string, limit: number): Promise<readonly ConversationSummary[]>;
  thread(conversationId: string): Promise<ThreadRecord>;
  /** Moves the leaf back to an ancestor, or to nothing; what is left behind is no longer found by recall. */
  moveLeaf(conversationId: string, move: { readonly from: string | null; readonly to: string | null }): Promise<void>;
  compact(conversationId: string, compaction: NewCompaction): Promise<void>;
}

export interface NewCompaction extends Omit<CompactionRecord, "at"> {
  readonly model: string | null;
}

/**
 * The writes of a turn, each one transaction. All but `begin` throw RequestError `agent_busy`, with nothing written,
 * when the conversation does not stand on the (first) message's parent.
 */
export interface TurnStore {
  /**
   * Appends what starts a turn, and tells how the modules stand now. Returns null, with nothing written,
   * when the conversation no longer stands on `leafId`: someone else wrote, so load the thread again.
   * Throws RequestError `input_invalid`, with nothing written, when the conversation has had this idempotency key.
   */
  begin(turn: TurnBeginning): Promise<readonly ModuleVersion[] | null>;
  /** The assistant's message with its tool calls pending, and the step's log. */
  commitReply(reply: ReplyCommit): Promise<void>;
  /** A tool's result together with every memory change that the tool made. Throws RevisionConflictError with nothing written. */
  commitToolResult(result: ToolResultCommit): Promise<void>;
  /** Messages of the runtime's own: heartbeats, alerts, the boot sequence. */
  append(conversationId: string, messages: readonly StoredMessage[]): Promise<void>;
}

export interface ModuleVersion {
  readonly label: string;
  readonly revision: number;
}

export interface TurnBeginning {
  readonly agentId: string;
  readonly conversationId: string;
  readonly leafId: string | null;
  readonly messages: readonly StoredMessage[];
  /** Of the input: the same key is accepted once in a conversation. */
  readonly idempotencyKey: string;
}

export interface ReplyCommit {
  readonly agentId: string;
  readonly conversationId: string;
  readonly message: StoredMessage;
  readonly step: StepRecord;
}

export interface ToolResultCommit {
  readonly agentId: string;
  readonly conversationId: string;
  readonly message: StoredMessage;
  /** The assistant's message that holds the call. */
  readonly callMessageId: string;
  readonly callId: string;
  readonly toolName: string;
  readonly status: "ok" | "failed" | "interrupted";
  readonly changes: readonly ModuleChange[];
  readonly passages: readonly NewPassage[];
}

export interface RecallStore {
  /**
   * Literal matches first, then by how well the words match, then newest first; a text in double quotes is literal alone.
   * A blank text finds nothing. Without a text: all of the span, oldest first.
   */
  search(query: RecallQuery): Promise<Page<StoredMessage>>;
}

export interface PassageStore {
  /** Adds passages; one whose text is there already is left as it is. Returns how many were new. */
  add(agentId: string, passages: readonly NewPassage[], origin: Origin): Promise<number>;
  search(query: PassageQuery): Promise<Page<PassageRecord>>;
  /** Newest first. */
  list(agentId: string, request: PageRequest): Promise<Page<PassageRecord>>;
  delete(agentId: string, passageId: string): Promise<boolean>;
  /** Passages without a vector of this embedder, oldest first. */
  withoutVector(
    agentId: string,
    options: { readonly embedder: string; readonly dimensions: number; readonly limit: number },
  ): Promise<readonly { readonly id: string; readonly content: string }[]>;
  addVectors(agentId: string, vectors: PassageVectors): Promise<void>;
}

export interface PassageVectors {
  readonly embedder: string;
  readonly dimensions: number;
  readonly rows: readonly { readonly passageId: string; readonly vector: readonly number[] }[];
}

export interface UserStore {
  readonly userId: string;
  readonly agents: AgentStore;
  readonly modules: ModuleStore;
  readonly conversations: ConversationStore;
  readonly turns: TurnStore;
  readonly recall: RecallStore;
  readonly passages: PassageStore;
}

export interface Store {
  /** What this user may see and change. The user is made known to the database on first use. */
  as(userId: string): UserStore;
  /** Writes everything to a file; `restore` reads it into an empty database. Both work on both engines. */
  backup(file: string): Promise<void>;
  restore(file: string): Promise<void>;
  close(): Promise<void>;
}
