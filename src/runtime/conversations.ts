// Operations on conversations: branches, forks, history for other prompts, import and export.
// Invariant: types only; each operation acts for the runtime's user only.
import type { ConversationHistory, HistoryLimits, RolePrefix } from "../context/conversation-history.ts";
import type { ListRange } from "../store/port/page.ts";
import type { BranchRecord, ConversationSummary, FoundMessage, MessagePage } from "../store/port/conversation-store.ts";
import type { ConversationRecord } from "../store/port/records.ts";

/** A message of a conversation from another program. */
export interface ImportedMessage {
  readonly role: "user" | "assistant";
  /** The speaker's name, if the role does not identify the speaker. */
  readonly speaker?: string;
  readonly text: string;
  readonly at: Date;
}

export interface ConversationImport {
  /** Oldest first. */
  readonly messages: readonly ImportedMessage[];
  readonly title?: string;
}

/** Options of a history, as in Dify's TokenBufferMemory. Limits count messages, not rounds. */
export interface HistoryOptions extends HistoryLimits {
  /** The id of one of the user's conversations. */
  readonly conversation: string;
  /** The id of the last message; default the current message of the conversation. */
  readonly leaf?: string;
  /** Also returns the history as one text: each message after its prefix and a colon. */
  readonly rolePrefix?: RolePrefix;
  /** The current question. It is returned separately, in its template, and does not count toward a limit. */
  readonly query?: string;
  /** A text in which the question replaces `{{#sys.query#}}`; default: only that placeholder. */
  readonly queryTemplate?: string;
}

/** Selects a page of a thread; by default, its newest messages. A cursor is the id of a message on the thread. */
export interface MessagePageOptions {
  /** Returns the messages before this one. */
  readonly before?: string;
  /** Returns the messages after this one. Excludes `before`. */
  readonly after?: string;
  /** Returns the first messages (`beginning`), or the last ones (`end`, the default). Excludes both cursors. */
  readonly from?: "beginning" | "end";
  /** Maximum messages, 1 to 500; default 50. */
  readonly limit?: number;
}

/** A file of a message with its content. */
export interface MessageFile {
  readonly name: string;
  /** Detected from the content when it was stored. */
  readonly mediaType: string;
  readonly data: Uint8Array;
}

export interface NewConversation {
  /** A UUID that no conversation of the user has; default a new one. */
  readonly id?: string;
  /** 1 to 200 code points on one line. */
  readonly title?: string;
}

/** By the time of the last message. `order`: default `newest`. `limit`: 1 to 1,000, default 20. */
export type ConversationListOptions = Partial<ListRange>;

export interface ConversationOperations {
  /**
   * Returns the user's conversations with an agent, or with every agent (null). The next page is `after` the id of the last
   * one. Throws RequestError `input_invalid`.
   */
  list(agent: string | null, options?: ConversationListOptions): Promise<readonly ConversationSummary[]>;
  /** Creates an empty conversation without opening the agent. Throws RequestError `input_invalid`. */
  create(agent: string, conversation?: NewConversation): Promise<ConversationRecord>;
  /** Throws RequestError `conversation_not_found`. */
  find(conversationId: string): Promise<ConversationRecord>;
  /**
   * Returns messages of the conversation's thread, oldest first: user, agent and runtime events, with their files, tool calls,
   * results and edits of core memory. Throws RequestError `conversation_not_found`, `message_not_found` for a cursor that is not
   * on the thread, and `input_invalid`.
   */
  messages(conversationId: string, options?: MessagePageOptions): Promise<MessagePage>;
  /**
   * Returns one message, also of an abandoned branch, with its calls, their results and edits of core memory. Throws
   * RequestError `message_not_found`.
   */
  message(messageId: string): Promise<FoundMessage>;
  /**
   * Returns the content of a stored file of a message, by the id in its location. Throws RequestError
   * `attachment_not_found`, also for a file of another conversation and for one whose content is not stored any more.
   */
  file(conversationId: string, fileId: string): Promise<MessageFile>;
  /**
   * Sets the title, 1 to 200 code points on one line; null removes it. Throws RequestError `conversation_not_found`,
   * `input_invalid`, and `grant_ended` if the agent is no longer shared with the user.
   */
  rename(conversationId: string, title: string | null): Promise<ConversationRecord>;
  /**
   * Deletes a conversation with its messages. Changes that the agent made to memory stay. Throws RequestError
   * `conversation_not_found`.
   */
  delete(conversationId: string): Promise<void>;
  /**
   * Returns the leaves of the conversation's tree, the current one first, then newest first; `agent.switchTo` accepts their
   * ids. Throws RequestError `conversation_not_found`.
   */
  branches(conversationId: string): Promise<readonly BranchRecord[]>;
  /**
   * Returns the messages up to a leaf, within limits, for another prompt. The leaf may be on an abandoned branch. Throws
   * RequestError `conversation_not_found`, `message_not_found` for a leaf that is not in the conversation, and
   * `input_invalid`.
   */
  history(options: HistoryOptions): Promise<ConversationHistory>;
  /**
   * Copies the thread and the summaries of a conversation into a new one, with the files of its messages. Recall finds
   * messages from before the fork in the original only, and memory changes stay attributed to the original. Throws
   * RequestError `conversation_not_found`, and `message_refused` if there is no message yet or a tool call has no result yet.
   */
  fork(conversationId: string): Promise<ConversationRecord>;
  /**
   * Returns the messages of the conversation's thread, oldest first, in the format of `import`: the text that users saw, with
   * speakers and times. Throws RequestError `conversation_not_found`.
   */
  export(conversationId: string): Promise<readonly ImportedMessage[]>;
  /**
   * Imports a conversation from another program, so that recall finds it. Its messages have the trust `external`; their
   * vectors are made in the background. Throws RequestError `input_invalid`; nothing is stored then.
   */
  import(agent: string, conversation: ConversationImport): Promise<ConversationRecord>;
}
