// The port to stored recall memory: search over messages, their neighbours and their vectors.
// Invariant: hits are texts of the user or the assistant; events, tool results and empty texts are never found.
import type { HitExplanation } from "../../base/search-view/search-explanation.ts";
import type { TextVersion, VectorKind, VectorNeed } from "./embedder-store.ts";
import type { QueryMeaning } from "./passage-store.ts";
import type { StoredMessage } from "./records.ts";
import type { Page, PageRequest, TimeSpan } from "./page.ts";

export interface RecallQuery extends PageRequest {
  readonly agentId: string;
  /** Words, or a literal in double quotes; absent: every message in the span. */
  readonly text?: string;
  /** The query's vector with its embedder; absent or null: search by words only. */
  readonly meaning?: QueryMeaning | null;
  /** IANA time zone for matching a message's date in words. Default UTC. */
  readonly timeZone?: string;
  readonly weights?: Partial<RecallWeights>;
  readonly span?: TimeSpan;
  /**
   * Only messages of this speaker: a name, ignoring case; `user` for all messages of that role; or `assistant` for the
   * agent's own.
   */
  readonly speaker?: string;
  /**
   * Sorts the messages by time. Default: oldest first without a text, newest first for a literal, and best first for any
   * other text.
   */
  readonly order?: "oldest" | "newest";
  /**
   * Whether hits are grouped by subject: statements on the subject of one of the best hits rank together, newest first,
   * including statements that the query alone does not find.
   */
  readonly grouped?: boolean;
  /** Excludes messages of this turn, so that a question does not find itself. */
  readonly exceptTurnId?: string;
  /** Whether to include messages that are on no thread: popped, or on an abandoned branch. Default false. */
  readonly includeAbandoned?: boolean;
}

/**
 * Weights of the parts of a hit's score; 0 disables a part. The part for words is the hit's word score divided by the
 * best one, so at most 1. In a word score, a matching word of the hit's own text has weight 3.
 */
export interface RecallWeights {
  /** Weight of the similarity of meaning; the part for words has weight 1. Default 0.7. */
  readonly meaning: number;
  /** Bonus for a message that contains the whole query literally. Default 1. */
  readonly literal: number;
  /** Weight of a matching word in a neighbouring message; one in the hit's own text has weight 3. Default 1. */
  readonly context: number;
  /**
   * Weights of matching words in a message's date ("8 May 2026") and in its speaker's name; with 1, such a word counts
   * as much as a word in the message's text. Default 1 each.
   */
  readonly date: number;
  readonly speaker: number;
  /** Exponent of a term's inverse document frequency: 0 treats all terms alike, 1 is standard BM25. Default 0.5. */
  readonly rarity: number;
  /** Bonus for length: the logarithm of the number of words, divided by that of the longest hit. Default 0.2. */
  readonly length: number;
  /** Penalty for a message that ends in a question mark of any script. Default 0.1. */
  readonly question: number;
  /** Weight of the mean similarity of up to four neighbours, divided by the highest similarity of any hit. Default 0.2. */
  readonly surroundings: number;
}

/** A message that a search found, and why; the explanation is null for a search by date only. */
export interface RecallHit extends StoredMessage {
  readonly explanation: HitExplanation | null;
  /** In a grouped search: an id that all statements on one subject share. */
  readonly groupId?: string;
}

/** The conversation of a message. `title`: its title, or else the user's first words; null if these are external text. */
export interface ConversationName {
  readonly id: string;
  readonly title: string | null;
}

/** The messages around a message on its thread, in their order. */
export interface Neighbours {
  readonly before: readonly StoredMessage[];
  readonly after: readonly StoredMessage[];
}

/** A message without a vector, with the data that its vector is made from. */
export interface MessageToEmbed extends TextVersion {
  readonly id: string;
  readonly text: string;
  readonly speaker: string | null;
  /** The previous message, if the pause between the two is at most six hours (`sittingSeconds`); otherwise null. */
  readonly previous: string | null;
}

export interface MessageVectors extends VectorKind {
  readonly rows: readonly (TextVersion & { readonly messageId: string; readonly vector: readonly number[] })[];
}

export interface RecallStore {
  /** Returns a page of messages, best first. A blank text finds nothing. Without a text, returns all messages of the span. */
  search(query: RecallQuery): Promise<Page<RecallHit>>;
  /** Returns the conversation of each of these messages, by the message's id. */
  conversationsOf(messageIds: readonly string[]): Promise<ReadonlyMap<string, ConversationName>>;
  /** Returns the neighbours of each message, by its id: at most `max` before and after it, none for a message on no thread. */
  neighbours(messageIds: readonly string[], max: number): Promise<ReadonlyMap<string, Neighbours>>;
  /**
   * Returns messages without a vector, newest first; with `among`, only the newest `among` messages are considered, at a cost
   * independent of their total number.
   */
  withoutVector(
    agentId: string,
    options: VectorKind & { readonly limit: number; readonly among?: number },
  ): Promise<readonly MessageToEmbed[]>;
  /**
   * Stores vectors of messages. Skips vectors of texts that may have been forgotten since they were read. Throws EmbeddingError
   * for a vector with the wrong number of dimensions.
   */
  addVectors(agentId: string, vectors: MessageVectors): Promise<void>;
  /** Returns the number of messages that need a vector and have none, by agent. Agents with 0 are left out. */
  countWithoutVector(need: VectorNeed): Promise<readonly { readonly agentId: string; readonly messages: number }[]>;
}
