// What the searches of an agent can find when a turn begins.
// Invariant: numbers, days and tags only; no text of messages and passages.

/** The number of texts, and when the first and the last one were written, in ISO 8601 (null for none). */
export interface SearchableCount {
  readonly count: number;
  /**
   * Whether there are more texts than `count`, because counting stopped there. An open conversation then counts again
   * only when `first` has changed, so it notices late that texts were deleted.
   */
  readonly isMore: boolean;
  readonly first: string | null;
  readonly last: string | null;
}

/** Tags of the newest of the agent's own passages that are current. */
interface SearchableTags {
  /** The most common tags among passages without external text, each with the number of all passages that have it. */
  readonly common: readonly { readonly tag: string; readonly count: number }[];
  /** Number of all tags, including those that only passages with external text have. */
  readonly total: number;
}

/** What the searches of an agent can find in a user's data with it. */
export interface SearchableMemory {
  /** Messages of all conversations. */
  readonly messages: SearchableCount;
  /** When the last message before the open conversation was written; null if there is none. */
  readonly lastBefore: string | null;
  /** The agent's own passages that are current. */
  readonly passages: SearchableCount;
  readonly newestPassageId: string | null;
  /** The tags; null if the newest passage is the one that the caller knows. */
  readonly tags: SearchableTags | null;
  /** Passages of the attached sources. */
  readonly documents: Pick<SearchableCount, "count" | "isMore">;
}
