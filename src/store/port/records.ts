// The records that the store returns: agents, modules and their revisions, conversations and messages.
// Invariant: plain readonly values without behaviour; lengths count code points, and times are Dates.
import type { ContentPart, ExternalSource, Role, Trust, Usage } from "../../base/message/message.ts";
import { type Form, form, type RecordOf } from "../../base/arguments/forms.ts";
import type { ContextReport, RetrievedPart } from "./context-report.ts";
import type { AgentKey, Config, OptionalTool } from "../../config/settings.ts";
import type { ToolRule } from "../../config/settings/tool-rule.ts";

/** A trust class. */
export const trustForm = form.choice("user", "model", "external");

export type Protocol = "native" | "heartbeat";

/** The settings of one agent. Lengths are in code points; shares are fractions of the context window. */
export interface AgentSettings extends Pick<Config, AgentKey> {
  /** Default tools that were removed from this agent. */
  readonly removedTools: readonly string[];
  /** Tools outside the defaults that were added to this agent. */
  readonly addedTools: readonly OptionalTool[];
  /** Rules about the order of tool calls and the end of turns. */
  readonly toolRules: readonly ToolRule[];
}

/** Describes an agent to people and programs. The agent itself does not see it. */
export const agentDetailFields = {
  description: form.nullable(form.text),
  tags: form.texts,
  /** A JSON object that only the caller interprets. */
  metadata: form.object(),
  /** JSON values that front ends keep with the agent, each under its own name. */
  extensions: form.object(),
};

export interface AgentDetails extends RecordOf<typeof agentDetailFields> {}

export const agentFields = {
  ...agentDetailFields,
  id: form.id,
  /** The user who created the agent. */
  ownerId: form.id,
  /** The name that the user types: `owner/name` for an agent of another user. */
  name: form.text,
  model: form.text,
  protocol: form.choice<Protocol>("native", "heartbeat"),
  memoryType: form.text,
  systemPrompt: form.text,
  settings: form.object<AgentSettings>(),
  createdAt: form.moment,
};

export interface AgentRecord extends RecordOf<typeof agentFields> {}

/** Filters of a list of agents. */
export const agentFilterFields = {
  /** Only the agent of this name, as the user types it. */
  name: form.text,
  /** Only agents whose name or description contains this text, ignoring case. */
  text: form.text,
  /** Only agents with at least one of these tags; an empty list: all agents. */
  tags: form.texts,
  /** Only agents with all of the tags. Default false. */
  matchAllTags: form.flag,
};

/** Scope of a module: one for the agent, or one for each user of the agent. */
export type ModuleScope = "agent" | "user";

/** A stored module. */
export interface ModuleRecord {
  readonly id: string;
  /** The owner: the current user, unless another user shared the module, or the agent that has it, with the current user. */
  readonly ownerId: string;
  readonly label: string;
  readonly scope: ModuleScope;
  readonly description: string | null;
  readonly value: string;
  readonly limit: number;
  readonly readOnly: boolean;
  /** Number of changes of the value. A further change is refused unless it names this number. */
  readonly revision: number;
  /** Number of changes of fields other than the value. */
  readonly version: number;
  /** Trust class of the value: the lowest of its lines. */
  readonly trust: Trust;
  /** Trust class of each line; null if each line has the class of the value. */
  readonly lineTrust: readonly Trust[] | null;
}

/** A module to create: its value comes from the program or the user. */
export type NewModule = Pick<ModuleRecord, "label" | "scope" | "description" | "value" | "limit" | "readOnly">;

/** Who made a change. */
export const originForm = form.choice("model", "user", "api", "import");

export type Origin = "model" | "user" | "api" | "import";

/** One change of one module. */
export const revisionFields = {
  moduleId: form.id,
  /** The module's current label. */
  label: form.text,
  revision: form.ordinal,
  before: form.text,
  after: form.text,
  origin: originForm,
  /** The program that made the change for the user, such as an MCP client; null if no program gave its name. */
  client: form.nullable(form.text),
  /** The user who made the change, possibly through an agent; null if that user was deleted. */
  editorId: form.nullable(form.text),
  /**
   * The agent that made the change, or that the user was using; null if there was none, if it was deleted, or if it is another
   * user's.
   */
  agentId: form.nullable(form.id),
  toolName: form.nullable(form.text),
  callId: form.nullable(form.text),
  messageId: form.nullable(form.id),
  conversationId: form.nullable(form.id),
  /** The revision that this revision reverted; null for none. */
  undoes: form.nullable(form.ordinal),
  /** Trust class of the lines that the change wrote, or of its cause if it only removed lines. */
  trust: trustForm,
  /** Trust classes of all lines of the new text; null if each has the class of the revision. */
  lineTrust: form.nullable(form.texts as Form<readonly Trust[]>),
  /** External sources in the window when the change was made, oldest first. Empty unless `trust` is `external`. */
  external: form.objects<ExternalSource>(),
  at: form.moment,
};

export interface RevisionRecord extends RecordOf<typeof revisionFields> {}

/** A change to apply if the label's module is at `revision` and its text is `before`. */
export interface ModuleChange {
  readonly label: string;
  readonly scope: ModuleScope;
  readonly revision: number;
  readonly before: string;
  readonly after: string;
  readonly undoes?: number;
  /** Trust class of the new text. Default: that of the message or call that caused the edit. */
  readonly trust?: Trust;
  /** Trust class of each line of the new text. Default: each line has the class of the text. */
  readonly lineTrust?: ModuleRecord["lineTrust"];
  /** Trust class of the lines that the change wrote; default: that of the text. */
  readonly written?: Trust;
  readonly external?: readonly ExternalSource[];
  /** Lines that the change replaced because the user has said something newer; default none. */
  readonly restated?: RestatedLines;
}

/** Lines that an edit replaced because the user contradicted them in a message. */
export interface RestatedLines {
  readonly messageId: string;
  /** Each replaced line, with the search terms in it that identify the message from which the line came. */
  readonly replaced: readonly { readonly line: string; readonly words: readonly string[] }[];
}

/** The cause of a change, stored with its revision. */
export interface ChangeCause {
  readonly origin: Origin;
  readonly client?: string;
  readonly conversationId?: string;
  readonly messageId?: string;
  readonly callId?: string;
  readonly toolName?: string;
  /** Trust class. Default: `user` for the user and the API, `external` for the model. Imports are always `external`. */
  readonly trust?: Trust;
  /** External sources in the window; default none. */
  readonly external?: readonly ExternalSource[];
}

export const conversationFields = {
  id: form.id,
  agentId: form.id,
  title: form.nullable(form.text),
  /** The conversation's current message; null while it is empty. */
  leafId: form.nullable(form.id),
  createdAt: form.moment,
  updatedAt: form.moment,
};

export interface ConversationRecord extends RecordOf<typeof conversationFields> {}

/**
 * `event` messages are the runtime's own (logins, heartbeats, alerts) and are not shown to people. `system` messages were sent
 * to the agent by the program, not by the user. Recall finds neither.
 */
export type MessageKind = "message" | "event" | "system";

export type MessageStatus = "complete" | "interrupted";

export const storedMessageFields = {
  id: form.id,
  parentId: form.nullable(form.id),
  turnId: form.id,
  role: form.choice<Role>("user", "assistant", "tool"),
  /** The writer's name, if known. */
  speaker: form.maybe(form.text),
  kind: form.choice<MessageKind>("message", "event", "system"),
  status: form.choice<MessageStatus>("complete", "interrupted"),
  content: form.objects<ContentPart>(),
  /** The visible text, which recall searches. */
  text: form.text,
  /** Tokens of the message in the form in which requests contain it, counted for the agent's model. */
  tokens: form.number,
  trust: trustForm,
  at: form.moment,
  /** The state entry after the message; absent if there is none. */
  stated: form.maybe(form.object<StateEntry>()),
};

export interface StoredMessage extends RecordOf<typeof storedMessageFields> {}

/**
 * A text about the agent's state that the model reads right after a message. Later requests repeat it at that place, until
 * the next snapshot of core memory.
 */
export interface StateEntry {
  /** The runtime's text; absent if there is nothing to say. */
  readonly text?: string;
  /**
   * By label, for each module whose new text the message already shows as the result of an edit: that text's number
   * (`toldRevision`). A new snapshot does not remove this field.
   */
  readonly reported?: Readonly<Record<string, number>>;
  /**
   * By label, for each module that `text` shows: the number of its text (`toldRevision`); null if the module no longer exists.
   */
  readonly shown?: Readonly<Record<string, number | null>>;
  /**
   * Set if the text states the time: that time in ISO 8601, the percentage of the window that was full, and whether the text
   * warns that messages will leave it.
   */
  readonly facts?: { readonly at: string; readonly filled: number; readonly warns?: true };
  /** The lowest trust class of the modules that the text shows. */
  readonly trust?: Trust;
  /** Texts that the runtime did not write: the items that were retrieved for the message, and the open files. */
  readonly found?: FoundTexts;
}

export interface FoundTexts {
  readonly text: string;
  readonly parts: readonly RetrievedPart[];
  /** For each open file, a hash of its lines in the text; by the file's id. */
  readonly files?: Readonly<Record<string, string>>;
}

/** The part of a thread that is in the window: the messages that the last compaction kept and all later ones. */
export interface ThreadRecord {
  readonly messages: readonly StoredMessage[];
  /** Compactions that replace the earlier messages, oldest first and without gaps. */
  readonly compactions: readonly CompactionRecord[];
  /** Core memory in the prompt; null before the first request. */
  readonly snapshot: MemorySnapshot | null;
  /** Number of compactions in the conversation, plus the number of their undos. */
  readonly windowVersion: number;
}

/** The core memory that the prompt of a conversation shows. */
export interface MemorySnapshot {
  readonly text: string;
  /** Values by module label. */
  readonly values: Readonly<Record<string, string>>;
  /**
   * The tools as requests contain them, a JSON array. Kept as text, because jsonb does not keep the order of an object's
   * fields. Absent in older snapshots.
   */
  readonly tools?: string;
  /** The key that marks the conversation's state entries; a new snapshot has the same key. */
  readonly stateKey: string;
  /** The lowest trust class of the modules and the synopsis. */
  readonly trust: Trust;
  /** The synopsis; absent if none is shown, or after a passage from which it was made is deleted. */
  readonly synopsis?: SynopsisSnapshot;
}

/** A tool as requests contain it. `parameters` is a JSON Schema (draft 7) of an object. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** The synopsis that a prompt shows. */
export interface SynopsisSnapshot {
  readonly text: string;
  readonly trust: Trust;
  /** Ids of the passages from which the synopsis was made. */
  readonly passages: readonly string[];
}

/** How messages leave the window; see docs/memory.md. */
export type CompactionStrategy = "recursive" | "ring" | "truncate";

/**
 * A compaction: the range of messages that left the window and the summary that replaces them. Positions count the
 * messages of a thread from 1.
 */
export const compactionFields = {
  id: form.id,
  strategy: form.choice<CompactionStrategy>("recursive", "ring", "truncate"),
  fromPosition: form.number,
  throughPosition: form.number,
  /** The last message that the compaction covers. */
  throughId: form.id,
  /** The summary; empty if the messages were dropped without one. */
  summary: form.text,
  /** Number of messages on the thread when the compaction was made, inside and outside the window. */
  threadMessages: form.number,
  /** Tokens of the messages that the compaction covers. */
  rangeTokens: form.number,
  /** Tokens of the summaries and messages in the window, before and after the compaction. */
  tokensBefore: form.number,
  tokensAfter: form.number,
  /** The model that wrote the summary; null if no summary was wanted, or if the summarizer failed. */
  model: form.nullable(form.text),
  usage: form.object<Usage>(),
  /** Cost of the summary in US dollars; null if the price was unknown. */
  dollars: form.nullable(form.number),
  /** The user's instruction for what the summary must keep. */
  focus: form.nullable(form.text),
  /** The lowest trust class of the summary's inputs; `user` for an empty summary. */
  trust: trustForm,
  undoneAt: form.nullable(form.moment),
  at: form.moment,
};

export interface CompactionRecord extends RecordOf<typeof compactionFields> {}

/** A logged model call. `report` describes the window. */
export const stepFields = {
  id: form.id,
  turnId: form.id,
  /** Number of the call in its turn, from 1. */
  number: form.number,
  model: form.text,
  finish: form.text,
  usage: form.object<Usage>(),
  report: form.object<ContextReport>(),
};

export interface StepRecord extends RecordOf<typeof stepFields> {}
