// Search over every message that was exchanged, as tools and front ends use it.
// Invariant: a question does not find itself: messages of the running turn are left out.
import { codePointLength } from "../../base/code-points.ts";
import type { RecallSearch, SearchPage } from "../../tool/tool.ts";
import { spanOfDays } from "../days.ts";
import type { StoredMessage } from "../records.ts";
import type { Page } from "../page.ts";
import type { RecallStore } from "../store.ts";

/** Results a page, as in MemGPT. */
export const searchPageSize = 5;

export interface RecallScope {
  readonly agentId: string;
  readonly timeZone: string;
  readonly turnId?: string;
  readonly pageSize?: number;
  /** Also messages that are on no thread. */
  readonly includeAbandoned?: boolean;
}

export function createRecallSearch(store: RecallStore, scope: RecallScope): RecallSearch {
  const { agentId, timeZone, turnId, pageSize = searchPageSize, includeAbandoned = false } = scope;
  const common = { agentId, pageSize, includeAbandoned, ...(turnId === undefined ? {} : { exceptTurnId: turnId }) };
  return {
    search: async (query, page) => {
      if (codePointLength(query.trim()) === 0) return { hits: [], page, pageSize, total: 0 };
      return toSearchPage(await store.search({ ...common, page, text: query }), page, pageSize);
    },
    searchDate: async (start, end, page) => {
      const span = spanOfDays({ start, end }, timeZone);
      return toSearchPage(await store.search({ ...common, page, span }), page, pageSize);
    },
  };
}

function toSearchPage(found: Page<StoredMessage>, page: number, pageSize: number): SearchPage {
  const hits = found.rows.map((message) => ({
    id: message.id,
    text: message.text,
    role: message.role === "user" ? ("user" as const) : ("assistant" as const),
    at: message.at,
    trust: message.trust,
  }));
  return { hits, page, pageSize, total: found.total };
}
