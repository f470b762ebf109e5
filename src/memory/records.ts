// What is kept, as the store hands it out: agents, modules and their revisions, conversations and messages.
// Invariant: plain readonly values without behaviour; lengths count code points, and times are moments.
import type { ContextReport } from "./context-report.ts";
import type { AgentKey, Config } from "../config/settings.ts";
import type { ContentPart, ExternalSource, Role, Trust, Usage } from "../message/message.ts";

export type Protocol = "native" | "heartbeat";

/** What each agent has of its own. All lengths are code points, all shares are of the context window. */
export interface AgentSettings extends Pick<Config, AgentKey> {
  /** Default tools that this agent does not have. */
  readonly removedTools: readonly string[];
}

/**
 * How much is kept of what no turn needs, for each user of the agent. What is absent is kept for ever. Messages in a window,
 * and the newest revision of a module, are never dropped.
 */
export interface RetentionSettings {
  readonly messages?: { readonly days?: number | undefined; readonly megabytes?: number | undefined } | undefined;
  readonly revisions?: { readonly days?: number | undefined; readonly perModule?: number | undefined } | undefined;
  readonly steps?: { readonly days?: number | undefined } | undefined;
  /** Of the agent's own archive: above these the least important go. Megabytes of text. */
  readonly passages?: { readonly rows?: number | undefined; readonly megabytes?: number | undefined } | undefined;
}

export type RetainedKind = keyof RetentionSettings;

/** `through`: the time of the newest row that was dropped; null when none was. */
export interface DroppedRows {
  readonly rows: number;
  readonly through: Date | null;
}

/** One application of an agent's retention, and what it dropped. */
export interface SweepRecord {
  readonly id: string;
  readonly agentId: string;
  readonly at: Date;
  /** As they were then. */
  readonly limits: RetentionSettings;
  readonly dropped: Readonly<Record<RetainedKind, DroppedRows>>;
}

export interface AgentRecord {
  readonly id: string;
  /** The user who made the agent. */
  readonly ownerId: string;
  /** As the user names it: `owner/name` for an agent of another user. */
  readonly name: string;
  readonly model: string;
  readonly protocol: Protocol;
  readonly memoryType: string;
  readonly systemPrompt: string;
  readonly settings: AgentSettings;
  readonly createdAt: Date;
}

/** An agent that its owner offers to another user, as that user sees the offer. */
export interface OfferRecord {
  readonly agentId: string;
  readonly ownerId: string;
  /** As the user names it: `owner/name`. */
  readonly name: string;
  readonly at: Date;
}

/** Another user who may use an agent, or to whom it is offered, as its owner sees that user. */
export interface RecipientRecord {
  readonly userId: string;
  readonly state: "offered" | "accepted";
  readonly at: Date;
}

/** An agent that the user has used, and may not use any more. What the user has with it can be read, exported and deleted. */
export interface FormerAgentRecord {
  readonly id: string;
  /** Null when the owner was deleted. */
  readonly ownerId: string | null;
  /** As the user names it: `owner/name`, and `/name` when the owner was deleted. */
  readonly name: string;
  readonly timeZone: string;
  readonly endedAt: Date;
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
  /** Of the value. */
  readonly trust: Trust;
}

/** A module that is to be made: its value is the program's, or the person's. */
export type NewModule = Omit<ModuleRecord, "revision" | "trust">;

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
  /** Of the text after. */
  readonly trust: Trust;
  /** What from outside was in the window when it was written, oldest first; empty for a text of a higher class. */
  readonly external: readonly ExternalSource[];
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
  /** Of the text after; default those of the cause. */
  readonly trust?: Trust;
  readonly external?: readonly ExternalSource[];
}

/** What caused a change: kept with its revision. */
export interface ChangeCause {
  readonly origin: Origin;
  readonly conversationId?: string;
  readonly messageId?: string;
  readonly callId?: string;
  readonly toolName?: string;
  /** Default: `user` for the user and the API, `external` for the model. An import is always `external`. */
  readonly trust?: Trust;
  /** What from outside was in the window; default nothing. */
  readonly external?: readonly ExternalSource[];
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

/** An end of a conversation's tree: the message that it stands on, or the last one of a branch. */
export interface BranchRecord {
  /** Of the message at the end. */
  readonly id: string;
  /** What was said last on the way to it, clipped. */
  readonly preview: string;
  /** From the beginning of the conversation to it. */
  readonly messages: number;
  /** When its last message was made. */
  readonly at: Date;
  /** Whether the conversation stands on it. */
  readonly isCurrent: boolean;
  /** The last message that it shares with the thread; null when it shares none, and for the thread itself. */
  readonly forkId: string | null;
  /** Messages of it that are not on the thread. */
  readonly ownMessages: number;
}

/** Where a message stands in its conversation's tree. */
export interface MessageLocation {
  readonly message: StoredMessage;
  readonly onThread: boolean;
  /** Whether the result of a tool call comes next, on the thread or on a branch: it belongs to a call at or above. */
  readonly isBeforeResult: boolean;
  /** The ids of what follows it on the thread, oldest first; none when it is on a branch. */
  readonly after: readonly string[];
  /** The nearest message of the user's at or above it; null when there is none, and when it is on a branch. */
  readonly inputId: string | null;
}

/** `event` messages are the runtime's own (logins, heartbeats, alerts): not shown to people, not found by recall. */
export type MessageKind = "message" | "event";
export type MessageStatus = "complete" | "interrupted";

export interface StoredMessage {
  readonly id: string;
  readonly parentId: string | null;
  readonly turnId: string;
  readonly role: Role;
  /** The name of who said it, where that is known: of messages that were said elsewhere. */
  readonly speaker?: string;
  readonly kind: MessageKind;
  readonly status: MessageStatus;
  readonly content: readonly ContentPart[];
  /** The words that people saw: what recall searches. */
  readonly text: string;
  /** Tokens of the message as the protocol renders it, by the counter of the agent's model. */
  readonly tokens: number;
  readonly trust: Trust;
  readonly at: Date;
}

/** The part of a thread that is in the window: what the last compaction kept and all that came after. */
export interface ThreadRecord {
  readonly messages: readonly StoredMessage[];
  /** What stands for the messages before, oldest first: each follows the one before it without a gap. */
  readonly compactions: readonly CompactionRecord[];
  /** Null before the first request. */
  readonly snapshot: MemorySnapshot | null;
  /** Counts the compactions of the conversation and their undoing. */
  readonly windowVersion: number;
}

/** Core memory as it stands in the prompt of a conversation. */
export interface MemorySnapshot {
  readonly text: string;
  /** By the modules' labels. */
  readonly values: Readonly<Record<string, string>>;
  /** Marks the state block of the conversation's requests; a new snapshot keeps it. */
  readonly stateKey: string;
  /** The lowest class of the modules and the synopsis. */
  readonly trust: Trust;
  /** Absent when none is shown, and as soon as a passage that it was made from is deleted. */
  readonly synopsis?: SynopsisSnapshot;
}

/** A synopsis as a prompt shows it. */
export interface SynopsisSnapshot {
  readonly text: string;
  readonly trust: Trust;
  /** The ids of the passages that it was made from. */
  readonly passages: readonly string[];
}

/** How messages leave the window: see docs/memory.md. */
export type CompactionStrategy = "recursive" | "ring" | "truncate";

/** What stands for messages that left the window. Positions count the messages of a thread from 1. */
export interface CompactionRecord {
  readonly id: string;
  readonly strategy: CompactionStrategy;
  readonly fromPosition: number;
  readonly throughPosition: number;
  /** The last message that it stands for. */
  readonly throughId: string;
  /** Empty when nothing is told of the messages. */
  readonly summary: string;
  /** Messages of the thread when it was made, in the window and out of it. */
  readonly threadMessages: number;
  /** Tokens of the messages that it stands for. */
  readonly rangeTokens: number;
  /** Tokens of the summaries and messages in the window. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What wrote the summary; null when nothing did, because none was wanted or the summarizer failed. */
  readonly model: string | null;
  readonly usage: Usage;
  /** What the summary cost; null when the price was not known. */
  readonly dollars: number | null;
  /** What the user asked it to keep above all. */
  readonly focus: string | null;
  /** The lowest class of what the summary was made from; `user` where nothing is said of the messages. */
  readonly trust: Trust;
  readonly undoneAt: Date | null;
  readonly at: Date;
}

/** A tool call that runs only when the user approves it, from the moment when that was asked. */
export interface ApprovalRecord {
  readonly conversationId: string;
  /** The assistant's message that holds the call. */
  readonly messageId: string;
  readonly callId: string;
  readonly toolName: string;
  /** As JSON: what the call runs with when it is approved as it stands. */
  readonly arguments: string;
  readonly requestedAt: Date;
  /** When it counts as denied; null: never. */
  readonly expiresAt: Date | null;
  /** Null while it waits. */
  readonly decision: ApprovalDecision | null;
}

/** Who decided: the user, the user by writing a message instead, or nobody in time. */
export type ApprovalDecider = "user" | "message" | "timeout";

export interface ApprovalDecision {
  readonly verdict: "approved" | "denied";
  readonly by: ApprovalDecider;
  /** Why it was denied, in the user's words. */
  readonly reason: string | null;
  /** As JSON: what the user approved in place of the model's arguments. */
  readonly arguments: string | null;
  readonly at: Date;
}

/** A model call as it is logged. `report` is what the window held. */
export interface StepRecord {
  readonly id: string;
  readonly turnId: string;
  /** Which of the turn's calls it is, from 1. */
  readonly number: number;
  readonly model: string;
  readonly finish: string;
  readonly usage: Usage;
  readonly report: ContextReport;
}
