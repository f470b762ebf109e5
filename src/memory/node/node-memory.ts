// The memory of one node of a workflow, as a program holds it. After Dify's NodeTokenBufferMemory.
// Invariant: types only; what is added is in the history at once, and kept with `flush`.
import type { FilePart } from "../../message/file-part.ts";
import type { Message } from "../../message/message.ts";
import type { NodeKey } from "../node-memory-store.ts";

/** A turn of a node: what it was asked, and what it answered. */
export interface AddedTurn {
  /** Of the user's message. */
  readonly messageId: string;
  /** The turn before, by the id of its answer or of its user's message; null for the first. */
  readonly parentMessageId: string | null;
  readonly userContent: string;
  /** As a turn's events and messages have them; they are kept as references. */
  readonly userFiles?: readonly FilePart[];
  /** Default: made from `messageId` and what was answered, so that another answer is another message. */
  readonly assistantMessageId?: string;
  readonly assistantContent: string;
  readonly assistantFiles?: readonly FilePart[];
}

/** What both memories of a prompt can be asked. */
export interface PromptHistoryOptions {
  /** Tokens of the whole history; default 2,000. */
  readonly maxTokens?: number;
  /** Messages; default 500. */
  readonly messageLimit?: number;
}

export interface NodeHistoryOptions extends PromptHistoryOptions {
  /** The turn that the current message comes after, where the current message is not in the memory yet. */
  readonly parentMessageId?: string;
}

/** The history of one node in one conversation, of one user. */
export interface NodeMemory {
  readonly mode: "node";
  /** `node_memory/{app}/{conversation}/{node}.json`. */
  readonly key: string;
  /**
   * Adds a turn to what `flush` will keep; one that was added before is not added again. Throws RequestError
   * `input_invalid`.
   */
  addMessages(turn: AddedTurn): void;
  /**
   * The thread of a message within limits, oldest first, for a model; files are whole again. A message that is not in the
   * memory yet: the thread of `parentMessageId`; without it, of the nearest message before it in the conversation, if it is
   * one of the runtime's; else of the newest message. Throws RequestError `node_memory_invalid`, `input_invalid`.
   */
  getHistoryPromptMessages(currentMessageId: string, options?: NodeHistoryOptions): Promise<readonly Message[]>;
  /**
   * Keeps what was added, together with what others have added meanwhile. Throws RequestError `input_invalid` for a turn
   * whose id is another message's: that one is dropped, all others are kept; `node_memory_invalid`; StoreError: then what was
   * added waits for the next `flush`.
   */
  flush(): Promise<void>;
  /** Deletes all messages, kept or not. */
  clear(): Promise<void>;
}

/** Where a program's prompts get their history from, by mode. */
export interface ConversationMemory {
  readonly mode: "conversation";
  /** The conversation's own thread, up to a message; null: the one it stands on. */
  getHistoryPromptMessages(
    currentMessageId: string | null,
    options?: PromptHistoryOptions,
  ): Promise<readonly Message[]>;
}

export interface NodeMemoryOptions extends NodeKey {
  /** Whose tokens are counted; default the runtime's model. */
  readonly model?: string;
  /** Bytes of JSON above which the object is compressed; default 65,536. */
  readonly compressAbove?: number;
}

/** As a workflow's configuration names it. */
export type PromptMemoryOptions =
  | ({ readonly mode: "node" } & NodeMemoryOptions)
  | { readonly mode?: "conversation"; readonly conversation: string };
