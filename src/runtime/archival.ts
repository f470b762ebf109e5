// Archival memory: what is put there, and how it is searched.
// Invariant: types only; each operation is of the runtime's user alone.
import type { ArchivalPage, ArchivalSearch } from "../memory/archival/archival-memory.ts";
import type { PassageRecord } from "../memory/passage-store.ts";
import type { PageOptions } from "./page-options.ts";

/** Narrows and weighs a search of archival memory. Of two filters both hold. */
export interface ArchivalOptions extends PageOptions, Omit<ArchivalSearch, "query" | "page" | "pageSize"> {}

/** A passage to store. Its time is the present unless given, its kind `memory`, its importance 0.5. */
export interface PassageInput
  extends Pick<PassageRecord, "content">,
    Partial<Pick<PassageRecord, "tags" | "kind" | "importance" | "at">> {}

/** Throws RequestError `input_invalid` for blank texts, unknown kinds and numbers out of range, with nothing stored. */
export interface ArchivalOperations {
  /** The agent's own, newest first. */
  list(
    agent: string,
    options?: PageOptions,
  ): Promise<{ readonly rows: readonly PassageRecord[]; readonly total: number }>;
  /** The agent's own and those of the sources attached to it, best first; each hit says why it was found. */
  search(agent: string, query: string, options?: ArchivalOptions): Promise<ArchivalPage>;
  /** Returns false when the same text was there already. */
  add(agent: string, content: string, options?: Pick<PassageInput, "tags" | "importance">): Promise<boolean>;
  /** Adds all or none, with the class `external`; returns how many were new. A text that is there already stays as it is. */
  import(agent: string, passages: readonly PassageInput[]): Promise<number>;
  /** All of the agent's own in the order in which they were added, read a piece at a time. */
  export(agent: string): AsyncIterable<PassageRecord>;
  /** Returns false when there is no such passage. */
  delete(agent: string, passageId: string): Promise<boolean>;
}
