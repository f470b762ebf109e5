// Conversations as a whole: their branches, their history for other prompts, and those that were held elsewhere.
// Invariant: types only; each operation is of the runtime's user alone.
import type { ConversationHistory, HistoryLimits, RolePrefix } from "../context/conversation-history.ts";
import type { BranchRecord, ConversationRecord, ConversationSummary } from "../memory/records.ts";

/** A message of a conversation from outside. */
export interface ImportedMessage {
  readonly role: "user" | "assistant";
  /** The name of the speaker, where the role is not enough. */
  readonly speaker?: string;
  readonly text: string;
  readonly at: Date;
}

export interface ConversationImport {
  /** Oldest first. */
  readonly messages: readonly ImportedMessage[];
  readonly title?: string;
}

/** Selects a history, as Dify's TokenBufferMemory does. Limits count messages, not rounds. */
export interface HistoryOptions extends HistoryLimits {
  /** The id of one of the user's conversations. */
  readonly conversation: string;
  /** The id of the last message; default the current message of the conversation. */
  readonly leaf?: string;
  /** Also returns the history as a text: each message after its prefix and a colon. */
  readonly rolePrefix?: RolePrefix;
  /** The current question. It is returned beside the history, in its template, and does not count toward a limit. */
  readonly query?: string;
  /** A text in which the question replaces `{{#sys.query#}}`; default that placeholder alone. */
  readonly queryTemplate?: string;
}

export interface ConversationOperations {
  list(agent: string, limit?: number): Promise<readonly ConversationSummary[]>;
  /**
   * Deletes a conversation with its messages and keeps what the agent wrote to memory. Throws RequestError
   * `conversation_not_found`.
   */
  delete(conversationId: string): Promise<void>;
  /**
   * Returns the ends of its tree, the current one first, then newest first; `agent.switchTo` goes to one. Throws RequestError
   * `conversation_not_found`.
   */
  branches(conversationId: string): Promise<readonly BranchRecord[]>;
  /**
   * Returns the messages up to one, within limits, for another prompt; also on a branch that was left. Throws RequestError
   * `conversation_not_found`, `message_not_found` for a leaf that is not in the conversation, and `input_invalid`.
   */
  history(options: HistoryOptions): Promise<ConversationHistory>;
  /**
   * Copies the thread and the summaries of a conversation into a new one, with the files of its messages. Recall finds
   * messages from before the fork in the original only, and memory changes stay attributed to the original. Throws
   * RequestError `conversation_not_found`, and `message_refused` where there is no message yet or a tool call has no result
   * yet.
   */
  fork(conversationId: string): Promise<ConversationRecord>;
  /**
   * Returns the messages of its thread, oldest first, as `import` takes them: the text that people saw, with speakers and
   * times. Throws RequestError `conversation_not_found`.
   */
  export(conversationId: string): Promise<readonly ImportedMessage[]>;
  /**
   * Imports a conversation from outside, so that recall finds it. Its messages have the trust `external`; their vectors are
   * made in the background. Throws RequestError `input_invalid`, with nothing stored.
   */
  import(agent: string, conversation: ConversationImport): Promise<ConversationRecord>;
}
