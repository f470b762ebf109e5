// Defines the operations on conversations: list, read, copy, import and export them.
// Invariant: each operation acts for the runtime's user only. This file checks types only; titles, texts and limits are
// checked by the operation.
import { form, type OptionsOf, type RecordOf } from "../../base/arguments/forms.ts";
import {
  type ConversationHistory,
  historyFields,
  historyLimitFields,
  rolePrefix,
} from "../../context/conversation-history.ts";
import type { ListRange } from "../../store/port/page.ts";
import {
  branchFields,
  conversationSummaryFields,
  foundMessageFields,
  messagePageFields,
  type BranchRecord,
  type ConversationSummary,
  type FoundMessage,
  type MessagePage,
} from "../../store/port/conversation-store.ts";
import { conversationFields, type ConversationRecord } from "../../store/port/records.ts";
import { admin, chat, type Contract, listFields, optionalOptions, optionsNamed, read, value } from "../contract.ts";

const importedMessageFields = {
  role: form.choice("user", "assistant"),
  /** The name of the message's author, if the role alone does not identify the author. */
  speaker: form.maybe(form.text),
  text: form.text,
  at: form.moment,
};

/** A message of a conversation from another program. */
export interface ImportedMessage extends RecordOf<typeof importedMessageFields> {}

const importedMessage = form.options(importedMessageFields, {
  required: ["role", "text", "at"],
  otherNames: { content: "Use `text`.", timestamp: "Use `at`.", name: "Use `speaker`." },
});

const importOptions = {
  /** The messages, oldest first. */
  messages: form.list(importedMessage),
  title: form.text,
};

export interface ConversationImport extends OptionsOf<typeof importOptions, "messages"> {}

const historyOptions = {
  /** The id of one of the user's conversations. */
  conversation: form.id,
  /** The id of the last message of the history; default the leaf of the conversation. */
  leaf: form.id,
  /** Also returns the history as one text: each message after the prefix of its role and a colon. */
  rolePrefix,
  /** The current question. It is returned separately, in its template, and does not count toward a limit. */
  query: form.text,
  /** A text in which the question replaces `{{#sys.query#}}`; default: only that placeholder. */
  queryTemplate: form.text,
  ...historyLimitFields,
};

/** Options of a history, modelled on Dify's TokenBufferMemory. Limits of messages count messages, not exchanges. */
export interface HistoryOptions extends OptionsOf<typeof historyOptions, "conversation"> {}

const pageOptions = {
  /** Returns the messages before the message with this id. */
  before: form.id,
  /** Returns the messages after the message with this id. Cannot be combined with `before`. */
  after: form.id,
  /** Returns the first messages (`beginning`), or the last ones (`end`, the default). Cannot be combined with a cursor. */
  from: form.choice("beginning", "end"),
  /** Maximum messages, 1 to 500; default 50. */
  limit: form.number,
};

/** Selects a page of a thread; by default, its newest messages. A cursor is the id of a message on the thread. */
export interface MessagePageOptions extends OptionsOf<typeof pageOptions> {}

export interface MessageFile {
  readonly name: string;
  /** The media type, as detected from the content when it was stored. */
  readonly mediaType: string;
  readonly data: Uint8Array;
}

const newConversation = {
  /** A UUID that no conversation of the user has; default a new one. */
  id: form.id,
  /** The title: 1 to 200 code points on one line. */
  title: form.text,
};

export interface NewConversation extends OptionsOf<typeof newConversation> {}

/** Selects conversations in the order of their last messages. `order`: default `newest`. `limit`: 1 to 1,000, default 20. */
export type ConversationListOptions = Partial<ListRange>;

export interface ConversationOperations {
  /**
   * Returns the user's conversations with an agent, or with every agent (null). For the next page, pass the id of the last
   * conversation as `after`. Throws RequestError `input_invalid`.
   */
  list(agent: string | null, options?: ConversationListOptions): Promise<readonly ConversationSummary[]>;
  /** Creates an empty conversation without opening the agent. Throws RequestError `input_invalid`. */
  create(agent: string, conversation?: NewConversation): Promise<ConversationRecord>;
  /** Returns a conversation. Throws RequestError `conversation_not_found`. */
  find(conversationId: string): Promise<ConversationRecord>;
  /**
   * Returns messages of the conversation's thread, oldest first: messages of the user and the agent and runtime events, with
   * their files, tool calls, results and edits of core memory. Throws RequestError `conversation_not_found`,
   * `message_not_found` for a cursor that is not on the thread, and `input_invalid`.
   */
  messages(conversationId: string, options?: MessagePageOptions): Promise<MessagePage>;
  /**
   * Returns one message, even one on a branch, with its calls, their results and edits of core memory. Throws RequestError
   * `message_not_found`.
   */
  message(messageId: string): Promise<FoundMessage>;
  /**
   * Returns the content of a stored file of a message, by the id in its location. Throws RequestError
   * `attachment_not_found`, also for a file of another conversation and for a file without stored content.
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
   * Returns the messages up to a leaf, within limits, for another prompt. The leaf may be on a branch. Throws RequestError
   * `conversation_not_found`, `message_not_found` for a leaf that is not in the conversation, and `input_invalid`.
   */
  history(options: HistoryOptions): Promise<ConversationHistory>;
  /**
   * Copies the thread and the summaries of a conversation into a new one, with the files of its messages. A search of recall
   * finds messages from before the fork in the original only, and memory changes stay attributed to the original. Throws
   * RequestError `conversation_not_found`, and `message_refused` if there is no message yet or a tool call has no result yet.
   */
  fork(conversationId: string): Promise<ConversationRecord>;
  /**
   * Returns the messages of the conversation's thread, oldest first, in the format of `import`: the visible texts with speakers
   * and times. Throws RequestError `conversation_not_found`.
   */
  export(conversationId: string): Promise<readonly ImportedMessage[]>;
  /**
   * Imports a conversation from another program, so that recall finds it. Its messages have the trust `external`; their vectors
   * are made in the background. If it throws RequestError `input_invalid`, nothing is stored.
   */
  import(agent: string, conversation: ConversationImport): Promise<ConversationRecord>;
}

const agent = value("agent", form.text);
const id = value("conversationId", form.id);
const path = "/agents/:agent/conversations/:conversation" as const;

/** In the routes, the agent in the path must be the agent of the conversation. */
export const conversationContract = {
  list: {
    args: [value("agent", form.nullable(form.text)), optionalOptions(listFields)],
    http: read("GET /agents/:agent/conversations", "List the conversations with an agent, most recently used first", [
      conversationSummaryFields,
    ]),
  },
  create: {
    args: [agent, optionalOptions(newConversation, { name: "conversation" })],
    http: chat("POST /agents/:agent/conversations", "Start a conversation", conversationFields, { status: 201 }),
  },
  find: { args: [id], http: read(`GET ${path}`, "Get a conversation", conversationFields) },
  messages: {
    args: [id, optionalOptions(pageOptions)],
    http: read(`GET ${path}/messages`, "Get messages with their tool calls and edits, oldest first", messagePageFields),
  },
  message: {
    args: [value("messageId", form.id)],
    http: read(
      "GET /messages/:message",
      "Get a message, even on an abandoned branch, with its calls and edits",
      foundMessageFields,
    ),
  },
  file: {
    args: [id, value("fileId", form.id)],
    http: read(`GET ${path}/files/:attachment`, "Download a stored file of a message", "bytes"),
  },
  rename: {
    args: [id, value("title", form.nullable(form.text))],
    http: chat(`PATCH ${path}`, "Set the title of a conversation; null removes it", conversationFields),
  },
  delete: { args: [id], http: admin(`DELETE ${path}`, "Delete a conversation with its messages", null) },
  branches: {
    args: [id],
    http: read(`GET ${path}/branches`, "List the ends of the conversation's tree", [branchFields]),
  },
  history: {
    args: [optionsNamed("options", historyOptions, { required: ["conversation"] })],
    http: read("POST /conversation-history", "Get a thread within limits, for another prompt", historyFields),
  },
  fork: {
    args: [id],
    http: chat(`POST ${path}/fork`, "Copy a conversation into a new one", conversationFields, { status: 201 }),
  },
  export: {
    args: [id],
    http: read(`GET ${path}/export`, "Export the messages of the thread in the form that an import accepts", [
      importedMessageFields,
    ]),
  },
  import: {
    args: [agent, optionsNamed("conversation", importOptions, { required: ["messages"] })],
    http: admin(
      "POST /agents/:agent/conversations/import",
      "Import a conversation from another program",
      conversationFields,
      { status: 201 },
    ),
  },
} as const satisfies Contract<ConversationOperations>;
