// The port to stored archival memory: passages, their vectors, and the search over both.
// Invariant: a passage belongs to one archive, an agent's or a source's; a vector has the number of dimensions of its
// embedder.
import { form, type RecordOf } from "../../base/arguments/forms.ts";
import { codePointLength } from "../../base/code-points.ts";
import type { Citation } from "../../base/message/citation.ts";
import type { ExternalSource, Trust } from "../../base/message/message.ts";
import type { HitExplanation } from "../../base/search-view/search-explanation.ts";
import type { TextVersion, VectorKind, VectorNeed } from "./embedder-store.ts";
import { type Origin, originForm, trustForm } from "./records.ts";
import type { ListRange, Page, PageRequest, TimeSpan } from "./page.ts";
import type { SearchWeights } from "./search-weights.ts";

/** `memory` and `fact`: written by agents or users; `document`: loaded into a source. */
export const passageKind = form.choice("memory", "fact", "document");

export type PassageKind = "memory" | "fact" | "document";

/** Location of a passage in its source. */
export interface SourceLocation extends Omit<Citation, "name"> {
  /** The file's path in its source. */
  readonly file: string;
}

/** Maximum code points of a passage. It exists because indexing a text of 9 MB occupies the embedded engine for seconds. */
const maxLength = 1_000_000;

/** Returns the expected and the actual length of a too long text, for an error message; null for any other text. */
export function passageLengthFault(text: string): string | null {
  const length = text.length > maxLength ? codePointLength(text) : 0;
  if (length <= maxLength) return null;
  return `at most 1,000,000 characters for a passage, got ${length.toLocaleString("en-US")}`;
}

export interface NewPassage {
  readonly id: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly kind: PassageKind;
  /** From 0 to 1; default 0.5. */
  readonly importance?: number;
  /** Creation time, by the runtime's clock. */
  readonly at: Date;
  /** Trust class; default: that of the passage's origin. */
  readonly trust?: Trust;
  /** Ids of passages of the same archive that this one replaces: they are then not current. Unknown ids are skipped. */
  readonly replaces?: readonly string[];
}

export const passageFields = {
  id: form.id,
  text: form.text,
  tags: form.texts,
  kind: passageKind,
  /** From 0 to 1. */
  importance: form.number,
  /** Creation time, by the runtime's clock. */
  at: form.moment,
  origin: originForm,
  trust: trustForm,
  /** Only in listings: external sources that were in the window when the passage was written. */
  external: form.maybe(form.objects<ExternalSource>()),
  /** Only in listings: the conversation in which the passage was added; absent if it was added outside of a turn. */
  conversationId: form.maybe(form.id),
  /** Only in listings: the message whose tool call added the passage; absent if none did, or if calls of several turns did. */
  messageId: form.maybe(form.id),
  /** The id of the passage that replaced this one; absent while this one is current. */
  replacedBy: form.maybe(form.id),
  /** The source, and the passage's location in it; null for a passage in the agent's own archive. */
  source: form.nullable(
    form.object<{ readonly id: string; readonly name: string; readonly location: SourceLocation | null }>(),
  ),
};

export interface PassageRecord extends RecordOf<typeof passageFields> {}

export interface PassageQuery extends PageRequest, PassageFilter {
  readonly agentId: string;
  /**
   * Text in double quotes is matched literally; otherwise any of its words match. Null: all passages that the filters match,
   * newest first.
   */
  readonly text: string | null;
  /** The query's vector with its embedder, or null to search by words only. */
  readonly meaning: QueryMeaning | null;
  readonly weights?: Partial<SearchWeights>;
  /** The time of the search: importance decays with a passage's age. */
  readonly now: Date;
  /**
   * Whether hits are grouped by subject: the agent's own passages on the subject of one of the best hits rank together,
   * newest first, including passages that the query alone does not find.
   */
  readonly grouped?: boolean;
}

/** A query's vector. Only vectors of the same embedder are compared. */
export interface QueryMeaning extends VectorKind {
  readonly vector: readonly number[];
  /** Minimum cosine similarity for a hit that matches by meaning only. */
  readonly floor: number;
  /** Factor for the weight of meaning. Default 1. */
  readonly weight?: number;
}

/**
 * Thrown by a search if another process has switched the agent's embedder, so that the query's vector is from the previous
 * embedder.
 */
export class OtherEmbedder extends Error {
  constructor() {
    super("The agent's embedder was switched meanwhile. Search again with a vector of the current embedder.");
  }
}

/** Filters of a search. A passage must match all of them. */
export interface PassageFilter {
  /** Only passages with at least one of these tags. */
  readonly tags?: readonly string[];
  /** Only passages with all of these tags. */
  readonly allTags?: readonly string[];
  readonly kinds?: readonly PassageKind[];
  /** Names of attached sources; the agent's own archive is then excluded. */
  readonly sources?: readonly string[];
  readonly span?: TimeSpan;
  /** Minimum importance, as set when the passage was added. */
  readonly minImportance?: number;
}

/** A passage that a search found, and why. */
export interface PassageHit extends PassageRecord {
  /** For a passage that is no longer current: the current one that replaced it. */
  readonly replacement?: Pick<PassageRecord, "id" | "text" | "at" | "trust" | "origin" | "tags">;
  readonly explanation: HitExplanation;
  /** In a grouped search: an id that all passages on one subject share. */
  readonly groupId?: string;
}

/** The archive of passages: an agent's own, or a source. */
export type PassageArchive = { readonly agentId: string } | { readonly sourceId: string };

/** The passage with the added text. `isNew`: false if the archive already had the text. */
export const addedPassageFields = { id: form.id, isNew: form.flag };

export interface AddedPassage extends RecordOf<typeof addedPassageFields> {}

/** Restricts which passages of an archive are read. */
export interface PassagePart {
  /** Only current passages. */
  readonly isCurrent?: boolean;
  /** Only passages that were created at this time or later, and those that they replaced. */
  readonly since?: Date | undefined;
}

export interface PassageStore {
  /**
   * Adds one passage, and returns the id of the passage with this text, which is an existing one if there is one. Throws
   * RequestError `agent_not_found` or `source_not_found`.
   */
  addOne(archive: PassageArchive, passage: NewPassage, origin: Origin): Promise<AddedPassage>;
  /**
   * Like `addOne`, but throws RevisionConflictError if a passage to replace is not current, or if something was forgotten
   * after the new text was made. `forgettings`: the number of applied forgettings when the text was made.
   */
  replace(
    agentId: string,
    passage: NewPassage,
    made: { readonly origin: Origin; readonly forgettings: number },
  ): Promise<AddedPassage>;
  /**
   * Adds passages, and returns the number of new ones. A passage whose text already exists gets the new tags as well, and is
   * current again unless it is imported. Passages added by a user or the API have the trust class `user`; imports and documents
   * are `external`.
   */
  add(agentId: string, passages: readonly NewPassage[], origin: Origin): Promise<number>;
  /**
   * Searches the agent's archive and its attached sources by words and meaning, best first. `total` is the number of ranked
   * candidates, the same for every page; a literal query returns all matches instead, newest first. A replaced passage ranks
   * behind its replacement.
   */
  search(query: PassageQuery): Promise<Page<PassageHit>>;
  /** Lists passages of a source by creation time. */
  listOfSource(sourceId: string, range: ListRange): Promise<readonly PassageRecord[]>;
  /** Lists the agent's own passages by creation time. */
  list(agentId: string, range: ListRange): Promise<readonly PassageRecord[]>;
  /** Returns the number of the agent's own passages. */
  count(agentId: string): Promise<number>;
  /**
   * Returns at most `limit` of the agent's own passages after this id (null: from the start), ordered by id. Page by page,
   * no passage is skipped or repeated, whatever is added or deleted meanwhile. Without `part`, reads all passages.
   */
  after(
    agentId: string,
    passageId: string | null,
    limit: number,
    part?: PassagePart,
  ): Promise<readonly PassageRecord[]>;
  /** Returns the id of the agent's own passage with this text; null if there is none. */
  idOf(agentId: string, text: string): Promise<string | null>;
  /** Returns those ids of the agent's own passages that end with one of these endings. */
  idsEnding(agentId: string, endings: readonly string[]): Promise<readonly string[]>;
  /** Replaces the tags of a passage. Returns false if the archive has no passage with that id. */
  setTags(archive: PassageArchive, passageId: string, tags: readonly string[]): Promise<boolean>;
  delete(agentId: string, passageId: string): Promise<boolean>;
  deleteOfSource(sourceId: string, passageId: string): Promise<boolean>;
  /** Records that a search has shown these passages at `now`. */
  countAccesses(passageIds: readonly string[], now: Date): Promise<void>;
  /**
   * Returns passages of an archive that have no vector of this embedder, oldest first; with `among`, only the newest `among`
   * passages are considered.
   */
  withoutVector(
    archiveId: string,
    options: VectorKind & { readonly limit: number; readonly among?: number },
  ): Promise<readonly (TextVersion & { readonly id: string; readonly content: string })[]>;
  /** Stores vectors of passages. Skips vectors of texts that may have been forgotten since they were read. */
  addVectors(archiveId: string, vectors: PassageVectors): Promise<void>;
  /** Returns the number of passages that need a vector and have none, by archive. Archives with 0 are left out. */
  countWithoutVector(need: VectorNeed): Promise<readonly { readonly archiveId: string; readonly passages: number }[]>;
}

export interface PassageVectors extends VectorKind {
  readonly rows: readonly (TextVersion & { readonly passageId: string; readonly vector: readonly number[] })[];
}
