// Types for what the searches of an agent can find when a turn begins.
// Invariant: numbers, days and tags only; no text of messages and passages.

/** The number of texts, and when the first and the last one were written, in ISO 8601 (null for none). */
export interface SearchableCount {
  readonly count: number;
  /**
   * Whether counting stopped at `count`, so that there may be many more texts. The count is then repeated only when
   * `first` has changed, so it can be too high after other texts were deleted.
   */
  readonly isMore: boolean;
  readonly first: string | null;
  readonly last: string | null;
}

/** Tags of the agent's newest 200 own passages, without replaced ones. */
interface SearchableTags {
  /** The most common tags that at least one passage without external text has, each with its number of passages. */
  readonly common: readonly { readonly tag: string; readonly count: number }[];
  /** Number of different tags, including those that only passages with external text have. */
  readonly total: number;
}

/** Counts of what an agent's searches can find for one user. */
export interface SearchableMemory {
  /** Messages of all conversations. */
  readonly messages: SearchableCount;
  /** When the last message before the beginning of the open conversation was written; null if there is none. */
  readonly lastBefore: string | null;
  /** The agent's own passages that are current. */
  readonly passages: SearchableCount;
  readonly newestPassageId: string | null;
  /** The tags; null if the caller already knows them, because the newest passage is the same. */
  readonly tags: SearchableTags | null;
  /** Passages of the attached sources. */
  readonly documents: Pick<SearchableCount, "count" | "isMore">;
}
