// The port to recall memory as it is stored: the search over messages, their neighbours and their vectors.
// Invariant: what is found was said, by either side; events, results of tools and empty texts never are.
import type { HitExplanation } from "../search-view/search-explanation.ts";
import type { VectorKind, VectorNeed } from "./embedder-store.ts";
import type { QueryMeaning } from "./passage-store.ts";
import type { StoredMessage } from "./records.ts";
import type { Page, PageRequest, TimeSpan } from "./page.ts";

export interface RecallQuery extends PageRequest {
  readonly agentId: string;
  /** Words or, in double quotes, a literal; absent: every message of the span. */
  readonly text?: string;
  /** The query's vector and who made it; absent or null: by words alone. */
  readonly meaning?: QueryMeaning | null;
  /** IANA name: in which a message's date is told in words. Default UTC. */
  readonly timeZone?: string;
  readonly weights?: Partial<RecallWeights>;
  readonly span?: TimeSpan;
  /** Messages made in this turn are left out, so that a question does not find itself. */
  readonly exceptTurnId?: string;
  /** Also messages that are on no thread: popped, or left behind on a branch. Default: only what is on one. */
  readonly includeAbandoned?: boolean;
}

/** What counts how much in a ranking; 0 turns it off. A message's own words count 3, and the best by words 1. */
export interface RecallWeights {
  /** Likeness of meaning beside words. Default 0.7. */
  readonly meaning: number;
  /** For a message that holds the whole query as it stands. Default 1. */
  readonly literal: number;
  /** A word in one of the messages next to it, beside one of its own. Default 1. */
  readonly context: number;
  /** Its date as words, "8 May 2026", and the name of its speaker: 1 is as much as a word of its own. Default 1 each. */
  readonly date: number;
  readonly speaker: number;
  /** The power of how rare a term is: 0 takes all terms as alike, 1 is the BM25 of the books. Default 0.5. */
  readonly rarity: number;
}

/** A message that was found, and why; null where nothing was ranked, by date alone. */
export interface RecallHit extends StoredMessage {
  readonly explanation: HitExplanation | null;
}

/** What was said around a message on its thread, in the order in which it was said. */
export interface Neighbours {
  readonly before: readonly StoredMessage[];
  readonly after: readonly StoredMessage[];
}

/** A message without a vector: what is to be embedded is made of these. */
export interface MessageToEmbed {
  readonly id: string;
  readonly text: string;
  readonly speaker: string | null;
  /** What was said before it in the same sitting; null for the first. */
  readonly previous: string | null;
}

export interface MessageVectors extends VectorKind {
  readonly rows: readonly { readonly messageId: string; readonly vector: readonly number[] }[];
}

export interface RecallStore {
  /** Best first. A blank text finds nothing. Without a text: all of the span, oldest first. */
  search(query: RecallQuery): Promise<Page<RecallHit>>;
  /** By the ids of messages, at most so many each way. What stands on no thread has none. */
  neighbours(messageIds: readonly string[], max: number): Promise<ReadonlyMap<string, Neighbours>>;
  /** Newest first; with `among`, only of so many of the newest, which costs the same however many there are. */
  withoutVector(
    agentId: string,
    options: VectorKind & { readonly limit: number; readonly among?: number },
  ): Promise<readonly MessageToEmbed[]>;
  /** Throws EmbeddingError for a vector of another width than it should have. */
  addVectors(agentId: string, vectors: MessageVectors): Promise<void>;
  /** How many messages that need a vector have none, by agent; only agents with any. */
  countWithoutVector(need: VectorNeed): Promise<readonly { readonly agentId: string; readonly messages: number }[]>;
}
