// The port to archival memory as it is stored: passages, their vectors, and the search over both.
// Invariant: a passage belongs to one archive, an agent's or a source's; a vector has the width that its embedder says.
import type { ExternalSource, Trust } from "../message/message.ts";
import type { HitExplanation } from "../search-view/search-explanation.ts";
import type { VectorKind, VectorNeed } from "./embedder-store.ts";
import type { Origin } from "./records.ts";
import type { Page, PageRequest, TimeSpan } from "./page.ts";
import type { SearchWeights } from "./search-weights.ts";

/** `memory` and `fact`: what was written down; `document`: what was loaded into a source. */
export type PassageKind = "memory" | "fact" | "document";

/** Where in what was loaded a passage stands. */
export interface SourceLocation {
  /** The file's path in its source. */
  readonly file: string;
  /** From 1. */
  readonly page?: number;
  /** The headings above it, outermost first, joined by " > ". */
  readonly heading?: string;
  /** From 1, both included. */
  readonly lineFrom?: number;
  readonly lineTo?: number;
}

export interface NewPassage {
  readonly id: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly kind: PassageKind;
  /** From 0 to 1; default 0.5. */
  readonly importance?: number;
  /** When it was made, by the runtime's clock. */
  readonly at: Date;
}

export interface PassageRecord extends NewPassage {
  readonly origin: Origin;
  readonly trust: Trust;
  /** In listings: what from outside was in the window when it was written. */
  readonly external?: readonly ExternalSource[];
  readonly importance: number;
  /** Null for one of the agent's own. */
  readonly source: { readonly id: string; readonly name: string; readonly location: SourceLocation | null } | null;
}

export interface PassageQuery extends PageRequest, PassageFilter {
  readonly agentId: string;
  /** A text in double quotes is literal; otherwise any of its words will do. */
  readonly text: string;
  /** The query's vector and who made it, or null to search by words alone. */
  readonly meaning: QueryMeaning | null;
  readonly weights?: Partial<SearchWeights>;
  /** The time of the search: importance depends on the age of passages. */
  readonly now: Date;
}

/** Only vectors of the same embedder are compared. */
export interface QueryMeaning extends VectorKind {
  readonly vector: readonly number[];
  /** The least cosine of what is found by meaning alone. */
  readonly floor: number;
}

/** What all of a search must be. Of two filters both hold. */
export interface PassageFilter {
  /** Has at least one of them. */
  readonly tags?: readonly string[];
  /** Has all of them. */
  readonly allTags?: readonly string[];
  readonly kinds?: readonly PassageKind[];
  /** Names of attached sources; then nothing of the agent's own is found. */
  readonly sources?: readonly string[];
  readonly span?: TimeSpan;
  /** Was given at least this importance. */
  readonly minImportance?: number;
}

/** A passage that was found, and why. */
export interface PassageHit extends PassageRecord {
  readonly explanation: HitExplanation;
}

export interface PassageStore {
  /**
   * Adds passages; one whose text is there already is left as it is. Returns how many were new. What a user or the API adds
   * has the class `user`; imports and documents are `external`.
   */
  add(agentId: string, passages: readonly NewPassage[], origin: Origin): Promise<number>;
  /**
   * What words or meaning find in the agent's archive and in the sources attached to it, best first. `total` counts the candidates,
   * which depend on the query alone and not on the page; a literal query finds all that hold it, newest first.
   */
  search(query: PassageQuery): Promise<Page<PassageHit>>;
  /** The agent's own, newest first. */
  list(agentId: string, request: PageRequest): Promise<Page<PassageRecord>>;
  /**
   * The agent's own after the one of this id, or from the first, in the order of their ids, `limit` at most. What is added or
   * deleted between two calls neither hides nor repeats another.
   */
  after(agentId: string, passageId: string | null, limit: number): Promise<readonly PassageRecord[]>;
  /** Counts the agent's own as far as `max`. */
  count(agentId: string, max: number): Promise<number>;
  delete(agentId: string, passageId: string): Promise<boolean>;
  /** Counts that a search has shown these, `now`. */
  countAccesses(passageIds: readonly string[], now: Date): Promise<void>;
  /** Passages of an archive without a vector of this embedder, oldest first; with `among`, only of so many of the newest. */
  withoutVector(
    archiveId: string,
    options: VectorKind & { readonly limit: number; readonly among?: number },
  ): Promise<readonly { readonly id: string; readonly content: string }[]>;
  addVectors(archiveId: string, vectors: PassageVectors): Promise<void>;
  /** How many passages that need a vector have none, by archive; only archives that have any. */
  countWithoutVector(need: VectorNeed): Promise<readonly { readonly archiveId: string; readonly passages: number }[]>;
}

export interface PassageVectors extends VectorKind {
  readonly rows: readonly { readonly passageId: string; readonly vector: readonly number[] }[];
}
