// Searches that keep account of the trust classes of what they found, for whatever is made from it.
// Invariant: what is found is handed on as it is; a class is noted before its text is seen.
import type { ArchivalDraft, RecallSearch, SearchPage } from "../tool/tool.ts";
import type { Trust } from "../message.ts";

export interface WatchedSearches {
  readonly archival: ArchivalDraft;
  readonly recall: RecallSearch;
  /** The classes of everything found so far. */
  readonly found: ReadonlySet<Trust>;
}

export function watchRecalled(archival: ArchivalDraft, recall: RecallSearch): WatchedSearches {
  const found = new Set<Trust>();
  const noted = (page: SearchPage): SearchPage => {
    for (const { trust } of page.hits) found.add(trust);
    return page;
  };
  return {
    found,
    archival: {
      insert: (content, options) => archival.insert(content, options),
      search: async (query) => noted(await archival.search(query)),
    },
    recall: {
      search: async (query, page) => noted(await recall.search(query, page)),
      searchDate: async (start, end, page) => noted(await recall.searchDate(start, end, page)),
    },
  };
}
