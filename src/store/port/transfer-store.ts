// The part of the store's port that moves agents with everything that belongs to them, in a form that an agent file can hold.
// Invariant: plain JSON, with times in ISO 8601; rows that are already stored are not changed, so storing the same transfer
// again adds nothing.
import type { Usage } from "../../base/message/message.ts";
import type { PassageRecord, SourceLocation } from "./passage-store.ts";
import type {
  AgentRecord,
  ConversationRecord,
  ModuleRecord,
  ModuleScope,
  RevisionRecord,
  StoredMessage,
  CompactionRecord,
} from "./records.ts";
import type { ConversationCall } from "./conversation-store.ts";
import type { SourceDetails, SourceFileRecord } from "./source-store.ts";
import type { StoredTool } from "./stored-tool-store.ts";

/** A record with its times in ISO 8601. */
type InJson<Record> = {
  readonly [Field in keyof Record]: Record[Field] extends Date
    ? string
    : Record[Field] extends Date | null
      ? string | null
      : Record[Field];
};

export interface TransferredRevision extends InJson<Omit<RevisionRecord, "moduleId" | "label" | "editorId">> {
  /** Whether the module's owner made the change, possibly through an agent. If not, all ids of the revision are null. */
  readonly isByOwner: boolean;
}

/** A module with its revisions. `revision` is the number of the newest revision, 0 if the module belongs to another user. */
export interface TransferredModule extends Omit<ModuleRecord, "ownerId" | "scope" | "version"> {
  /** Whether the module is kept when no agent holds it. */
  readonly isKept: boolean;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The module's revisions, oldest first. */
  readonly revisions: readonly TransferredRevision[];
}

/** What a call waited for, and the decision about it. */
export interface TransferredRequest {
  readonly requestedAt: string;
  readonly expiresAt: string | null;
  readonly arguments: string | null;
  readonly preview: string | null;
  readonly verdict: "approved" | "denied" | null;
  readonly decidedBy: "user" | "message" | "timeout" | null;
  readonly reason: string | null;
  readonly approvedArguments: string | null;
  readonly decidedAt: string | null;
}

export interface TransferredCall {
  readonly callId: string;
  readonly name: string;
  readonly status: ConversationCall["status"];
  readonly resultMessageId: string | null;
  readonly createdAt: string;
  readonly settledAt: string | null;
  readonly request: TransferredRequest | null;
}

export interface TransferredMessage extends InJson<Omit<StoredMessage, "speaker" | "stated">> {
  readonly speaker: string | null;
  /** Whether recall searches the message. Messages that a fork has copied, for example, are not searched. */
  readonly isRecalled: boolean;
  /** The calls in the message's content, in their order. */
  readonly calls: readonly TransferredCall[];
}

export interface TransferredCompaction extends InJson<Omit<CompactionRecord, "usage">> {
  readonly windowVersion: number;
  readonly usage: Omit<Usage, "isEstimated">;
}

export interface TransferredConversation extends InJson<Omit<ConversationRecord, "agentId">> {
  /** The messages of all branches; a message comes after its parent. */
  readonly messages: readonly TransferredMessage[];
  /** The compactions, in the order in which they were made. */
  readonly compactions: readonly TransferredCompaction[];
  /**
   * Only for an import that can be repeated: the id reserved for a message that answers calls without a result, even if
   * no call lacks one now. A stored conversation whose leaf has this id was not continued in the store.
   */
  readonly closingId?: string;
}

export interface TransferredPassage
  extends InJson<Required<Omit<PassageRecord, "replacedBy" | "source" | "conversationId" | "messageId">>> {
  readonly conversationId: string | null;
  readonly messageId: string | null;
  readonly callId: string | null;
  readonly accessCount: number;
  readonly accessedAt: string | null;
  /** The id of the passage of the same archive that replaced this one; null while this one is current. */
  readonly replacedBy: string | null;
}

export interface TransferredTool extends InJson<Omit<StoredTool, "served">> {}

export interface TransferredFile extends InJson<Omit<SourceFileRecord, "passages" | "status">> {
  readonly passages: readonly { readonly id: string; readonly text: string; readonly place: SourceLocation }[];
}

export interface TransferredSource extends SourceDetails {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly files: readonly TransferredFile[];
  /** The passages that belong to no file. */
  readonly passages: readonly TransferredPassage[];
}

export interface TransferredAgent extends InJson<Omit<AgentRecord, "ownerId">> {
  /** The modules that the agent holds, in their order in the prompt. */
  readonly modules: readonly { readonly id: string; readonly scope: ModuleScope }[];
  /** The stored tools that the agent has, in the order in which they were attached. */
  readonly tools: readonly { readonly id: string; readonly requiresApproval: boolean | null }[];
  /** Ids of the sources that the agent searches. */
  readonly sources: readonly string[];
  readonly conversations: readonly TransferredConversation[];
  readonly passages: readonly TransferredPassage[];
}

/**
 * Agents with everything that they need. What an agent, conversation or passage refers to is in the transfer or already
 * stored.
 */
export interface Transfer {
  readonly modules: readonly TransferredModule[];
  readonly tools: readonly TransferredTool[];
  readonly sources: readonly TransferredSource[];
  readonly agents: readonly TransferredAgent[];
}

/** The modules, tools and sources of an agent. Its conversations and passages are read separately, in parts. */
export interface HeldParts extends Pick<Transfer, "modules" | "tools" | "sources"> {
  readonly held: Pick<TransferredAgent, "modules" | "tools" | "sources">;
}

/** Numbers of rows that were not stored before. */
export interface TransferCounts {
  readonly agents: number;
  readonly modules: number;
  readonly tools: number;
  readonly sources: number;
  readonly files: number;
  readonly conversations: number;
  readonly messages: number;
  readonly passages: number;
}

/** Conversations and passages to add to an existing agent. */
export type TransferredTexts = Pick<TransferredAgent, "conversations" | "passages">;

/** Numbers of rows that were not stored before. */
export type AddedTexts = Pick<TransferCounts, "conversations" | "messages" | "passages">;

export interface TransferStore {
  /**
   * Returns which of these ids are taken by the user's agents, modules, tools, sources, conversations, messages or passages.
   */
  idsInUse(ids: readonly string[]): Promise<readonly string[]>;
  /** Returns the modules, tools and sources of the user's own agent. Throws RequestError `agent_not_found`. */
  held(agentId: string): Promise<HeldParts>;
  /** Returns one conversation with all its branches. Throws RequestError `conversation_not_found`. */
  conversation(conversationId: string): Promise<TransferredConversation>;
  /** Returns at most `limit` of the user's own passages with the agent after this id (null: from the start), ordered by id. */
  passages(agentId: string, after: string | null, limit: number): Promise<readonly TransferredPassage[]>;
  /**
   * Stores the rows of the transfer that are not stored yet, all of them or nothing. Existing rows are unchanged, as are the
   * modules, tools and sources of an existing agent, and the files of an existing source. An existing conversation gets its
   * new messages; if nobody has continued it, its current message becomes the given one. Throws RequestError `agent_exists`,
   * `tool_exists`, `source_exists` for a name in use, and `input_invalid` for a reference to a row that is neither stored nor
   * given.
   */
  put(transfer: Transfer): Promise<TransferCounts>;
  /**
   * Adds those conversations and passages that are not stored yet to an agent that the user may use, all of them or nothing.
   * Throws RequestError `agent_not_found`, `grant_ended` and `input_invalid`.
   */
  add(agentId: string, texts: TransferredTexts): Promise<AddedTexts>;
  /**
   * Returns the counts that `add` would return, and stores nothing. Throws RequestError `agent_not_found` and `grant_ended`.
   */
  countNew(agentId: string, texts: TransferredTexts): Promise<AddedTexts>;
}
