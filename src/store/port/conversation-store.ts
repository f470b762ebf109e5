// The part of the store's port for conversations: their leaf, their thread and their branches.
// Invariant: the cost of a function depends on the size of the window, not on the length of the conversation.
import { form, type RecordOf } from "../../base/arguments/forms.ts";
import type { FilePart } from "../../base/message/file-part.ts";
import type { PrintedOutput, Trust } from "../../base/message/message.ts";
import type { ListRange } from "./page.ts";
import type { PassageRecord } from "./passage-store.ts";
import {
  conversationFields,
  revisionFields,
  storedMessageFields,
  type ConversationRecord,
  type MemorySnapshot,
  type ModuleChange,
  type StateEntry,
  type StoredMessage,
  type ThreadRecord,
} from "./records.ts";
import type { Lease } from "./turn-store.ts";
import type { ReopenedTurn } from "./unfinished-turn-store.ts";

/** A conversation in a listing: `preview` is the user's first message, clipped. */
export const conversationSummaryFields = {
  ...conversationFields,
  messages: form.number,
  preview: form.text,
};

export interface ConversationSummary extends RecordOf<typeof conversationSummaryFields> {}

/** An end of a conversation's tree: the current leaf, or the last message of a branch. */
export const branchFields = {
  /** Id of the message at the end. */
  id: form.id,
  /** The last visible text of the branch, clipped. */
  preview: form.text,
  /** Number of messages from the beginning of the conversation to the end. */
  messages: form.number,
  /** When the message at the end was created. */
  at: form.moment,
  /** Whether the end is the conversation's current leaf. */
  isCurrent: form.flag,
  /** The last message that the branch shares with the thread; null if it shares none, and for the thread itself. */
  forkId: form.nullable(form.id),
  /** Number of messages of the branch that are not on the thread. */
  ownMessages: form.number,
};

export interface BranchRecord extends RecordOf<typeof branchFields> {}

/** Position of a message in its conversation's tree. */
export interface MessageLocation {
  readonly message: StoredMessage;
  readonly onThread: boolean;
  /** Whether the message is followed by the result of a tool call, on the thread or on any branch. */
  readonly isBeforeResult: boolean;
  /** Ids of the messages after this one on the thread, oldest first; empty for a message on a branch. */
  readonly after: readonly string[];
  /**
   * The id of this message if the user wrote it, or else of the user's nearest earlier message; null if there is none, and for
   * a message on a branch.
   */
  readonly inputId: string | null;
}

const callRequestFields = {
  awaits: form.choice("approval", "result"),
  verdict: form.nullable(form.choice("approved", "denied")),
  /** Why the call was denied, in the user's words. */
  reason: form.nullable(form.text),
};

/** What a call waits or waited for. `verdict`: null while the call waits, and for `awaits: "result"`, which needs none. */
export interface CallRequest extends RecordOf<typeof callRequestFields> {}

/** A tool call in a message, with what it returned. */
const conversationCallFields = {
  callId: form.text,
  name: form.text,
  /** The JSON text as the model wrote it, possibly malformed. */
  arguments: form.text,
  status: form.choice(
    "pending",
    "awaiting-approval",
    "awaiting-result",
    "awaiting-reply",
    "ok",
    "failed",
    "interrupted",
  ),
  /** Null if the call never waited. */
  request: form.nullable(form.record(callRequestFields)),
  /** What the call returned; null while it has no result. */
  result: form.nullable(
    form.record({
      text: form.text,
      files: form.objects<FilePart>(),
      printed: form.maybe(form.object<PrintedOutput>()),
    }),
  ),
};

export interface ConversationCall extends RecordOf<typeof conversationCallFields> {}

/** A message of a conversation, with its calls and their changes of core memory; both oldest first. */
const conversationMessageFields = {
  ...storedMessageFields,
  /**
   * The idempotency key that the sender gave the message, or that was generated for it; null for a message that was not sent,
   * and in a fork.
   */
  idempotencyKey: form.nullable(form.text),
  calls: form.records(conversationCallFields),
  edits: form.records(revisionFields),
};

export interface ConversationMessage extends RecordOf<typeof conversationMessageFields> {}

/** A message found by its id, with its agent and conversation. */
export const foundMessageFields = {
  ...conversationMessageFields,
  agentId: form.id,
  conversationId: form.id,
};

export interface FoundMessage extends RecordOf<typeof foundMessageFields> {}

/** A part of a conversation's thread. Each tool result is a field of its call, not a message of the list. */
export const messagePageFields = {
  /** The messages, oldest first. */
  messages: form.records(conversationMessageFields),
  /** Whether the thread has messages before these. To read them, pass the first message's id as `before`. */
  hasOlder: form.flag,
  /** Whether the thread has messages after these. To read them, pass the last message's id as `after`. */
  hasNewer: form.flag,
};

export interface MessagePage extends RecordOf<typeof messagePageFields> {}

/** A conversation that was held in another program. */
export interface ImportedConversation {
  readonly id: string;
  readonly agentId: string;
  readonly title: string | null;
  /** At least one message, each the parent of the next. The list is read again if the transaction is retried. */
  readonly messages: Iterable<StoredMessage>;
}

/** What a conversation was about; contains no external text. */
export interface EarlierConversation {
  readonly id: string;
  /** When the conversation was last used. */
  readonly at: Date;
  readonly title: string | null;
  /** The beginning of the conversation's newest summary, or else of the user's first message. */
  readonly text: string;
  readonly trust: Trust;
}

export interface ConversationStore {
  /** Stores all of a conversation, or nothing. The time of its last message counts as its last use. */
  import(conversation: ImportedConversation): Promise<ConversationRecord>;
  create(conversation: {
    readonly id: string;
    readonly agentId: string;
    readonly title?: string | null;
  }): Promise<ConversationRecord>;
  find(conversationId: string): Promise<ConversationRecord | null>;
  /** Lists the conversations with an agent (null: with any agent), ordered by last use. */
  list(agentId: string | null, range: ListRange): Promise<readonly ConversationSummary[]>;
  /**
   * Returns what the agent's last `limit` other conversations with the user were about, newest first. Leaves out
   * conversations that have only external texts.
   */
  earlier(agentId: string, conversationId: string, limit: number): Promise<readonly EarlierConversation[]>;
  thread(conversationId: string): Promise<ThreadRecord>;
  /** Returns the ends of the tree: the current leaf, then the other ends, newest first. */
  branches(conversationId: string): Promise<readonly BranchRecord[]>;
  /** Returns the position of a message in its tree. Throws RequestError `message_not_found`. */
  place(conversationId: string, messageId: string): Promise<MessageLocation>;
  /**
   * Returns the last `limit` messages up to and including a given one, oldest first, on any branch. The cost is proportional to
   * the messages read, not to the conversation. Throws RequestError `message_not_found`.
   */
  path(conversationId: string, request: PathRequest): Promise<readonly StoredMessage[]>;
  /**
   * Returns messages of the thread before or after a message, with their calls and edits. Throws RequestError
   * `conversation_not_found`, and `message_not_found` for a cursor that is not on the thread.
   */
  page(conversationId: string, request: MessagePageRequest): Promise<MessagePage>;
  /** Returns one message on any branch, with its calls and edits; null for an unknown id. */
  message(messageId: string): Promise<FoundMessage | null>;
  /**
   * Sets or removes the title. Throws RequestError `conversation_not_found`, and `grant_ended` if the agent is no longer
   * shared with the user, with nothing written.
   */
  rename(conversationId: string, title: string | null): Promise<ConversationRecord>;
  /**
   * Moves the leaf to another message, or before the first one (null), and changes memory in the same transaction. Searches
   * of recall no longer find messages that left the thread. Throws RevisionConflictError, with nothing moved.
   */
  moveLeaf(lease: Lease, move: LeafMove): Promise<LeafMoved>;
  /**
   * Stores the core memory that the prompt shows from now on, and removes the state entries. Returns the snapshot as stored:
   * if a passage from which its synopsis was made has been deleted, it has no synopsis. Throws RequestError `lease_lost` with
   * nothing written.
   */
  saveSnapshot(lease: Lease, snapshot: MemorySnapshot): Promise<MemorySnapshot>;
  /** Stores the state entry after a message. Throws RequestError `lease_lost` with nothing written. */
  saveEntry(lease: Lease, messageId: string, entry: StateEntry): Promise<void>;
  /**
   * Deletes the conversation with its messages. Passages and module changes that were made in it are kept, without a
   * reference to it. Throws RequestError `conversation_not_found`.
   */
  delete(conversationId: string): Promise<void>;
  /**
   * Creates a conversation with a copy of the thread of another conversation. Throws RequestError `conversation_not_found`,
   * and `message_refused` for a conversation without messages or with a call that has no result yet, with nothing written.
   */
  fork(fork: ConversationFork): Promise<ConversationRecord>;
  /** Counts what turns have not finished because they still run, or were interrupted. */
  countUnfinished(): Promise<UnfinishedCount>;
}

export interface ConversationFork {
  readonly conversationId: string;
  /** Id of the new conversation. */
  readonly id: string;
  /** Makes ids for the copied rows. */
  readonly newId: () => string;
}

export interface PathRequest {
  /** The last message to return; null: the conversation's current leaf. */
  readonly through: string | null;
  /** 1 or more. */
  readonly limit: number;
}

export interface MessagePageRequest {
  /** The id of a message; null: the end of the thread, or its beginning for `after`. */
  readonly cursor: string | null;
  readonly direction: "before" | "after";
  /** Maximum messages, without tool results; 1 or more. */
  readonly limit: number;
}

export interface UnfinishedCount {
  /** Number of conversations whose last message still needs a reply of the model or a tool result. */
  readonly conversations: number;
  /** Number of pending tool calls: those without a result that wait neither for a decision nor for an answer. */
  readonly calls: number;
}

export interface LeafMove {
  readonly from: string | null;
  readonly to: string | null;
  /** Changes of core memory in order, with the user as origin. */
  readonly changes?: readonly ModuleChange[];
  /** What happens to passages that were added only by tool calls of messages that leave the thread. Default `keep`. */
  readonly passages?: "keep" | "delete";
  /** Replacements of messages that leave the thread, stored in the same transaction, oldest first. */
  readonly replacements?: readonly MessageReplacement[];
  /** The turn that resumes after the move. Servers continue it if the process ends between the move and the next commit. */
  readonly reopens?: ReopenedTurn;
}

/** A message that replaces another, and takes over its files and the memory changes that its calls made. */
export interface MessageReplacement {
  readonly replaces: string;
  readonly message: StoredMessage;
}

export interface LeafMoved {
  /** The passages that were deleted, newest first. */
  readonly deletedPassages: readonly PassageRecord[];
}
