// The interface to the memory of one node of a workflow. Modelled on Dify's NodeTokenBufferMemory.
// Invariant: types only; an added exchange is in the history at once, and stored by `flush`.
import type { FilePart } from "../../base/message/file-part.ts";
import type { Message } from "../../base/message/message.ts";
import type { NodeKey } from "../../store/port/node-memory-store.ts";

/** An exchange of a node: the user's message and the node's answer. */
export interface AddedExchange {
  /** Id of the user's message. */
  readonly messageId: string;
  /** The previous exchange: the id of its answer or of its user message; null for the first. */
  readonly parentMessageId: string | null;
  readonly userContent: string;
  /** File parts from a turn's events or messages; they are stored as references. */
  readonly userFiles?: readonly FilePart[];
  /** Default: derived from `messageId` and the answer, so that two answers to one message have different ids. */
  readonly assistantMessageId?: string;
  readonly assistantContent: string;
  readonly assistantFiles?: readonly FilePart[];
}

/** Options of `getHistoryPromptMessages`, for the history of a node and of a conversation. */
export interface PromptHistoryOptions {
  /** Token limit of the whole history; default 2,000. */
  readonly maxTokens?: number;
  /** Maximum number of messages; default 500. */
  readonly messageLimit?: number;
}

export interface NodeHistoryOptions extends PromptHistoryOptions {
  /** The exchange that the current message follows, if the current message is not in the memory yet. */
  readonly parentMessageId?: string;
}

/** The history of one node in one conversation, of one user. */
export interface NodeMemory {
  readonly mode: "node";
  /** `node_memory/{app}/{conversation}/{node}.json`. */
  readonly key: string;
  /**
   * Adds an exchange for `flush` to store; an exchange that was already added is ignored. Throws RequestError `input_invalid`.
   */
  addMessages(exchange: AddedExchange): void;
  /**
   * Returns the thread of a message within limits, oldest first, for a model, with files loaded. If the message is not
   * in the memory yet, the result is the thread of `parentMessageId`. Without this option, it is the thread of the message's
   * nearest ancestor in the memory, if the runtime has the conversation, otherwise of the newest message.
   * Throws RequestError `node_memory_invalid`, `input_invalid`.
   */
  getHistoryPromptMessages(currentMessageId: string, options?: NodeHistoryOptions): Promise<readonly Message[]>;
  /**
   * Stores the added exchanges and merges them with exchanges that other writers have stored meanwhile. Throws RequestError
   * `input_invalid` for an exchange whose id belongs to a different message: that exchange is dropped, all others are stored.
   * Throws `node_memory_invalid` or StoreError; the added exchanges then wait for the next `flush`.
   */
  flush(): Promise<void>;
  /** Deletes all messages, stored or not. */
  clear(): Promise<void>;
}

/** The history of a conversation for a program's prompts. */
export interface ConversationMemory {
  readonly mode: "conversation";
  /** Returns the messages of the conversation's thread up to a message; null: the current thread. */
  getHistoryPromptMessages(
    currentMessageId: string | null,
    options?: PromptHistoryOptions,
  ): Promise<readonly Message[]>;
}

export interface NodeMemoryOptions extends NodeKey {
  /** The model that determines how tokens are counted; default: the model of the runtime. */
  readonly model?: string;
  /** Threshold for compressing the object, in bytes of JSON; default 65,536. */
  readonly compressAbove?: number;
}

/** The fields of a workflow's memory configuration. */
export type PromptMemoryOptions =
  | ({ readonly mode: "node" } & NodeMemoryOptions)
  | { readonly mode?: "conversation"; readonly conversation: string };
