// Operations that add, search, import and export passages of archival memory.
// Invariant: types only; each operation acts for the runtime's user only.
import type { ArchivalPage, ArchivalSearch } from "../memory/archival/archival-memory.ts";
import type { AddedPassage, PassageRecord } from "../memory/passage-store.ts";
import type { EditOptions } from "./memory.ts";
import type { PageOptions } from "./page-options.ts";

/** Filters and weights of a search of archival memory. All filters must match. */
export interface ArchivalOptions extends PageOptions, Omit<ArchivalSearch, "query" | "page" | "pageSize"> {}

/** A passage to store. Defaults: the current time, kind `memory`, importance 0.5. */
export interface PassageInput
  extends Pick<PassageRecord, "content">,
    Partial<Pick<PassageRecord, "tags" | "kind" | "importance" | "at">> {}

export interface ArchivalAddOptions extends Pick<PassageInput, "tags" | "importance" | "at">, EditOptions {}

/**
 * Each function throws RequestError `input_invalid` for blank texts, unknown kinds and numbers out of range; nothing is
 * stored then.
 */
export interface ArchivalOperations {
  /** Returns the agent's own passages, newest first. */
  list(
    agent: string,
    options?: PageOptions,
  ): Promise<{ readonly rows: readonly PassageRecord[]; readonly total: number }>;
  /** Searches the agent's own passages and those of attached sources, best first. Each hit contains the reason for its rank. */
  search(agent: string, query: string, options?: ArchivalOptions): Promise<ArchivalPage>;
  /** Stores a passage, unless the same text is stored already. */
  add(agent: string, content: string, options?: ArchivalAddOptions): Promise<AddedPassage>;
  /**
   * Stores all passages or none, with the trust `external`. Skips texts that are stored already. Returns the number of new
   * passages.
   */
  import(agent: string, passages: readonly PassageInput[]): Promise<number>;
  /** Iterates over the agent's own passages in the order in which they were added, in batches. */
  export(agent: string): AsyncIterable<PassageRecord>;
  /** Deletes a passage. Returns false if no passage has that id. */
  delete(agent: string, passageId: string): Promise<boolean>;
}
