// Search over all stored messages, for tools and front ends.
// Invariant: a question does not find itself: messages of the running turn are excluded.
import { codePointLength } from "../../base/code-points.ts";
import { quotedLiteral } from "../../base/quoted-literal.ts";
import type { NeighbouringMessage, RecallSearch, SearchHit, SearchPage } from "../../tool/tool.ts";
import { spanOfDays } from "../days.ts";
import type { Page } from "../page.ts";
import { rerankedPage } from "../reranked-page.ts";
import type { RecallHit, RecallQuery, RecallStore, RecallWeights } from "../recall-store.ts";
import type { StoredMessage } from "../records.ts";
import { type MeaningDeps, queryMeaning } from "../vectors/query-meaning.ts";

/** Results per page, as in MemGPT. */
export const searchPageSize = 5;

export interface RecallScope extends MeaningDeps {
  readonly agentId: string;
  readonly timeZone: string;
  readonly turnId?: string;
  readonly pageSize?: number;
  /** Includes messages that are on no thread. */
  readonly includeAbandoned?: boolean;
  readonly weights?: Partial<RecallWeights>;
  /** Restricts a text search to these days, both inclusive. */
  readonly days?: { readonly start?: string | undefined; readonly end?: string | undefined };
}

export function createRecallSearch(store: RecallStore, scope: RecallScope): RecallSearch {
  const {
    agentId,
    timeZone,
    turnId,
    pageSize = searchPageSize,
    includeAbandoned = false,
    weights = {},
    days = {},
  } = scope;
  const common = {
    agentId,
    timeZone,
    pageSize,
    includeAbandoned,
    weights,
    ...(turnId === undefined ? {} : { exceptTurnId: turnId }),
  };
  const ranked = async (query: RecallQuery): Promise<Page<RecallHit>> => {
    const { text, page } = query;
    if (text === undefined || quotedLiteral(text) !== undefined) return store.search(query);
    return rerankedPage(
      scope.reranker,
      { query: text, page, pageSize },
      {
        find: (number, size) => store.search({ ...query, page: number, pageSize: size }),
        textOf: ({ speaker, text: said }) => (speaker === undefined ? said : `${speaker}: ${said}`),
      },
    );
  };
  const find = async (query: RecallQuery, neighbours: number): Promise<SearchPage> => {
    const found = await ranked(query);
    const hits = await withNeighbours(store, found.rows, neighbours);
    return { hits, page: query.page, pageSize, total: found.total };
  };
  return {
    search: async (text, page, { neighbours = 0 } = {}) => {
      const span = spanOfDays(days, timeZone);
      if (codePointLength(text.trim()) === 0) return { hits: [], page, pageSize, total: 0 };
      const { meaning, wordsAlone } = await queryMeaning(text, scope);
      const found = await find({ ...common, page, text, span, meaning }, neighbours);
      return wordsAlone ? { ...found, wordsAlone } : found;
    },
    searchDate: async (start, end, page, { neighbours = 0 } = {}) => {
      const span = spanOfDays({ start, end }, timeZone);
      return find({ ...common, page, span }, neighbours);
    },
  };
}

async function withNeighbours(
  store: RecallStore,
  found: readonly RecallHit[],
  max: number,
): Promise<readonly SearchHit[]> {
  const hits = found.map((hit) =>
    hit.explanation === null ? messageOf(hit) : { ...messageOf(hit), explanation: hit.explanation },
  );
  if (max === 0 || hits.length === 0) return hits;
  const ids = hits.map(({ id }) => id);
  const around = await store.neighbours(ids, max);
  return hits.map((hit) => {
    const { before = [], after = [] } = around.get(hit.id) ?? {};
    return { ...hit, neighbours: { before: before.map(messageOf), after: after.map(messageOf) } };
  });
}

function messageOf(message: StoredMessage): NeighbouringMessage {
  const { id, text, speaker, at, trust } = message;
  const role = message.role === "user" ? ("user" as const) : ("assistant" as const);
  return { id, text, role, ...(speaker === undefined ? {} : { speaker }), at, trust };
}
