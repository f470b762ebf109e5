// Operations that add, search, import and export passages of archival memory.
// Invariant: types only; each operation acts for the runtime's user only.
import type { ArchivalPage, ArchivalSearch } from "../memory/archival/archival-memory.ts";
import type { ListRange } from "../store/port/page.ts";
import type { AddedPassage, PassageRecord } from "../store/port/passage-store.ts";
import type { EditOptions } from "./memory.ts";
import type { PageOptions } from "./page-options.ts";

/** Filters and weights of a search of archival memory. All filters must match. */
export interface ArchivalOptions extends PageOptions, Omit<ArchivalSearch, "query" | "page" | "pageSize"> {}

/** By the time of the passages. `order`: default `newest`. `limit`: 1 to 1,000, default 20. */
export type PassageListOptions = Partial<ListRange>;

/** A passage to store. Defaults: the current time, kind `memory`, importance 0.5. */
export interface PassageInput
  extends Pick<PassageRecord, "text">,
    Partial<Pick<PassageRecord, "tags" | "kind" | "importance" | "at">> {}

export interface ArchivalAddOptions extends Omit<PassageInput, "text">, EditOptions {}

/**
 * Each function throws RequestError `input_invalid` for blank texts, unknown kinds and numbers out of range; nothing is
 * stored then.
 */
export interface ArchivalOperations {
  /** Returns a page of the agent's own passages; the next one is `after` the id of the last passage. */
  list(agent: string, options?: PassageListOptions): Promise<readonly PassageRecord[]>;
  /** Returns the number of the agent's own passages. */
  count(agent: string): Promise<number>;
  /** Searches the agent's own passages and those of attached sources, best first. Each hit contains the reason for its rank. */
  search(agent: string, query: string, options?: ArchivalOptions): Promise<ArchivalPage>;
  /** Stores a passage. If the same text is stored already, it gets the tags as well, and nothing else changes. */
  add(agent: string, text: string, options?: ArchivalAddOptions): Promise<AddedPassage>;
  /**
   * Stores all passages or none, with the trust `external`. Skips texts that are stored already. Returns the number of new
   * passages.
   */
  import(agent: string, passages: readonly PassageInput[]): Promise<number>;
  /** Iterates over the agent's own passages in the order in which they were added, in batches. */
  export(agent: string): AsyncIterable<PassageRecord>;
  /** Replaces the tags of a passage, each once. Returns false if no passage of the agent's own has that id. */
  setTags(agent: string, passageId: string, tags: readonly string[]): Promise<boolean>;
  /** Deletes a passage. Returns false if no passage has that id. */
  delete(agent: string, passageId: string): Promise<boolean>;
}
