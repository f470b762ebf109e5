// Wraps searches to record the trust classes of their results, for texts that are made from them.
// Invariant: results are returned unchanged; a class is recorded before its text is returned.
import { appendAll } from "../base/lists.ts";
import type { ArchivalDraft, RecallSearch, SearchPage, WorkingSearch } from "../tool/tool.ts";
import type { Trust } from "../base/message/message.ts";

export interface Searches {
  readonly archival: ArchivalDraft;
  readonly recall: RecallSearch;
  readonly working: WorkingSearch;
}

export interface FoundText {
  readonly id: string;
  readonly trust: Trust;
}

export interface WatchedSearches extends Searches {
  /** Every result so far. */
  readonly found: readonly FoundText[];
}

export function watchRecalled({ archival, recall, working }: Searches): WatchedSearches {
  const found: FoundText[] = [];
  const noted = (page: SearchPage): SearchPage => {
    for (const { id, trust, neighbours, later, replacement } of page.hits) {
      const beside = [later, replacement].filter((one) => one !== undefined);
      appendAll(found, [{ id, trust }, ...(neighbours?.before ?? []), ...(neighbours?.after ?? []), ...beside]);
    }
    return page;
  };
  return {
    found,
    archival: {
      insert: (content, options) => archival.insert(content, options),
      search: async (query) => noted(await archival.search(query)),
    },
    recall: {
      search: async (query, page, options) => noted(await recall.search(query, page, options)),
      searchDate: async (start, end, page, options) => noted(await recall.searchDate(start, end, page, options)),
    },
    working: { search: async (query) => noted(await working.search(query)) },
  };
}
