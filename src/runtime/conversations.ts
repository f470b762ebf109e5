// Conversations as a whole: their branches, their history for other prompts, and those that were held elsewhere.
// Invariant: types only; each operation is of the runtime's user alone.
import type { ConversationHistory, HistoryLimits, RolePrefix } from "../context/conversation-history.ts";
import type { BranchRecord, ConversationRecord, ConversationSummary } from "../memory/records.ts";

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

export interface ConversationOperations {
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
   * A new conversation that begins as this one stands, and goes its own way: its thread and summaries are copied. Recall finds
   * what was said before the fork in the original alone; what calls did to memory stays the original's; files of its messages
   * go with it. Throws RequestError `conversation_not_found`, and `message_refused` where nothing was said yet, or a tool call
   * has no result yet.
   */
  fork(conversationId: string): Promise<ConversationRecord>;
  /**
   * What was said on its thread, oldest first, as `import` takes it: the words that people saw, with their speakers and times.
   * Throws RequestError `conversation_not_found`.
   */
  export(conversationId: string): Promise<readonly ImportedMessage[]>;
  /**
   * Keeps a conversation that was held elsewhere as one of the agent's, so that recall finds it; its messages have the class
   * `external`. Their vectors are made behind the scenes. Throws RequestError `input_invalid`, with nothing kept.
   */
  import(agent: string, conversation: ConversationImport): Promise<ConversationRecord>;
}
