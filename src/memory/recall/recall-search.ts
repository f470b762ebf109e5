// Search over all stored messages, for tools and front ends.
// Invariant: a question does not find itself: messages of the running turn are excluded.
import { appendAll, inBatches } from "../../base/lists.ts";
import { codePointLength } from "../../base/code-points.ts";
import { quotedLiteral } from "../../base/query-words.ts";
import type {
  MessageSearchOptions,
  NeighbouringMessage,
  RecallSearch,
  SearchHit,
  SearchOrder,
} from "../../tool/tool.ts";
import { secretsLast } from "../../base/search-view/stated-secrets.ts";
import { spanOfDays } from "../days.ts";
import type { Page, PageRequest } from "../../store/port/page.ts";
import { rerankedPage } from "../reranked-page.ts";
import type { RecallHit, RecallQuery, RecallStore, RecallWeights } from "../../store/port/recall-store.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import { type MeaningDeps, searchByMeaning } from "../vectors/query-meaning.ts";
import { type ArrangedHit, arrangeHits, isOwn } from "./arrange-hits.ts";

/** Results per page, as in MemGPT. */
export const searchPageSize = 5;

/** Number of ranked results that are arranged together, whatever the page size is. */
const blockSize = 20;

export interface RecallScope extends MeaningDeps {
  readonly agentId: string;
  readonly timeZone: string;
  readonly turnId?: string;
  readonly pageSize?: number;
  /** Whether messages on branches are included. */
  readonly includeAbandoned?: boolean;
  readonly weights?: Partial<RecallWeights>;
  /** Restricts a text search to these days, both inclusive. */
  readonly days?: { readonly start?: string | undefined; readonly end?: string | undefined };
  /** Arranges results for a model (`arrangeHits`); each has its conversation, and whether it is in the model's window. */
  readonly forModel?: {
    /** Returns whether the model's window has the message with this id. */
    isInView(id: string): boolean;
  };
}

export function createRecallSearch(store: RecallStore, scope: RecallScope): RecallSearch {
  const { timeZone, pageSize = searchPageSize, days = {}, forModel } = scope;
  const common = commonQuery(scope);
  const ranked = (query: RecallQuery) => rankedPage(store, scope, query);
  const completed = async (hits: readonly SearchHit[], { neighbours = 0 }: MessageSearchOptions) =>
    withNeighbours(store, forModel === undefined ? hits : await withPlaces(store, hits, forModel), neighbours);
  return {
    async search(text, page, options = {}) {
      const span = spanOfDays({ start: options.startDate ?? days.start, end: options.endDate ?? days.end }, timeZone);
      const { order = "best", limit = pageSize, speaker } = options;
      const named = { page, pageSize: limit, ...(order === "best" ? {} : { order }) };
      if (codePointLength(text.trim()) === 0) return { ...named, hits: [], total: 0, wordsAlone: false };
      const { rows, total, wordsAlone } = await searchByMeaning(text, scope, async (asked) => {
        const query = { ...common, ...narrowedBy(speaker, order), text, span, meaning: asked.meaning };
        const found =
          forModel !== undefined && order === "best"
            ? await arrangedPage(ranked, query, { page, pageSize: limit })
            : hitsOfPage(await ranked({ ...query, page, pageSize: limit }));
        return { ...found, wordsAlone: asked.wordsAlone };
      });
      return { ...named, hits: await completed(rows, options), total, wordsAlone };
    },
    async searchDate(start, end, page, options = {}) {
      const span = spanOfDays({ start, end }, timeZone);
      const { limit = pageSize, speaker } = options;
      const order = orderByTime(options.order, start);
      const found = await store.search({ ...common, ...narrowedBy(speaker, order), page, pageSize: limit, span });
      const { rows, total } = hitsOfPage(found);
      return { hits: await completed(rows, options), page, pageSize: limit, total, order, wordsAlone: false };
    },
  };
}

type CommonQuery = Omit<RecallQuery, "page" | "pageSize">;

function commonQuery({ agentId, timeZone, turnId, includeAbandoned = false, weights = {} }: RecallScope): CommonQuery {
  const except = turnId === undefined ? {} : { exceptTurnId: turnId };
  return { agentId, timeZone, includeAbandoned, weights, ...except };
}

function narrowedBy(speaker: string | undefined, order: SearchOrder): Pick<RecallQuery, "speaker" | "order"> {
  return { ...(speaker === undefined ? {} : { speaker }), ...(order === "best" ? {} : { order }) };
}

/** Returns the requested order by time. Default: oldest first for a span with a start, else newest first. */
function orderByTime(order: SearchOrder = "best", start: string | undefined): "oldest" | "newest" {
  if (order !== "best") return order;
  return start === undefined ? "newest" : "oldest";
}

/**
 * Returns a page of results. The reranker, if there is one, reorders them unless the query is a literal or requests an order by
 * time.
 */
async function rankedPage(
  store: RecallStore,
  { reranker }: Pick<RecallScope, "reranker">,
  query: RecallQuery,
): Promise<Page<RecallHit>> {
  const { text, page, pageSize, order } = query;
  if (text === undefined || order !== undefined || quotedLiteral(text) !== undefined) return store.search(query);
  return rerankedPage(
    reranker,
    { query: text, page, pageSize },
    {
      find: (number, size) => store.search({ ...query, page: number, pageSize: size }),
      textOf: ({ speaker, text: said }) => (speaker === undefined ? said : `${speaker}: ${said}`),
    },
  );
}

/** Reads the blocks of ranked results that a page overlaps, arranges each, and returns the page. */
async function arrangedPage(
  ranked: (query: RecallQuery) => Promise<Page<RecallHit>>,
  query: CommonQuery,
  { page, pageSize }: PageRequest,
): Promise<Page<SearchHit>> {
  const [from, to] = [page * pageSize, (page + 1) * pageSize];
  const first = Math.floor(from / blockSize);
  let total = Number.POSITIVE_INFINITY;
  const arranged: ArrangedHit[] = [];
  for (let block = first; block * blockSize < Math.min(to, total); block += 1) {
    const found = await ranked({ ...query, grouped: true, page: block, pageSize: blockSize });
    total = found.total;
    appendAll(arranged, withSecretsLast(arrangeHits(found.rows)));
  }
  const start = first * blockSize;
  return { rows: linked(arranged, { from: from - start, to: to - start, start }), total };
}

/**
 * Moves the results that state a secret to the end of their group of five; in a reordered group, no result is marked as
 * following another. Groups do not depend on the page size, so that a result has the same number on pages of any size.
 */
function withSecretsLast(arranged: readonly ArrangedHit[]): readonly ArrangedHit[] {
  return [...inBatches(arranged, searchPageSize)].flatMap((group) => {
    const ordered = secretsLast(group, ({ hit }) => hit.text);
    return ordered === group ? group : ordered.map((one) => ({ ...one, about: null }));
  });
}

/**
 * Returns one page of the arranged results: those from `from` to `to`. If a result follows a newer statement on the
 * same page, it is marked as `answer` (the agent wrote it) or `earlier`. If the newer statement is on a previous page,
 * an earlier statement gets the newer one's text and number as `later`, and an answer is not marked.
 */
function linked(
  arranged: readonly ArrangedHit[],
  { from, to, start }: { readonly from: number; readonly to: number; readonly start: number },
): readonly SearchHit[] {
  const places = new Map(arranged.map(({ hit }, index) => [hit.id, index]));
  return arranged.slice(from, to).map(({ hit, about }): SearchHit => {
    const place = about === null ? undefined : places.get(about);
    const newest = place === undefined ? undefined : arranged[place];
    if (place === undefined || newest === undefined) return hitOf(hit);
    if (place >= from) return { ...hitOf(hit), follows: isOwn(hit) ? "answer" : "earlier" };
    return isOwn(hit) ? hitOf(hit) : { ...hitOf(hit), later: { ...messageOf(newest.hit), number: start + place + 1 } };
  });
}

function hitsOfPage({ rows, total }: Page<RecallHit>): Page<SearchHit> {
  return { rows: rows.map(hitOf), total };
}

/** Returns the hits with their conversations, and a mark on those that the model sees. */
async function withPlaces(
  store: RecallStore,
  hits: readonly SearchHit[],
  { isInView }: NonNullable<RecallScope["forModel"]>,
): Promise<readonly SearchHit[]> {
  if (hits.length === 0) return hits;
  const conversations = await store.conversationsOf(hits.map(({ id }) => id));
  return hits.map((hit) => {
    const conversation = conversations.get(hit.id);
    const seen = isInView(hit.id) ? ({ isInView: true } as const) : {};
    return conversation === undefined ? hit : { ...hit, ...seen, conversation };
  });
}

async function withNeighbours(
  store: RecallStore,
  hits: readonly SearchHit[],
  max: number,
): Promise<readonly SearchHit[]> {
  if (max === 0 || hits.length === 0) return hits;
  const around = await store.neighbours(
    hits.map(({ id }) => id),
    max,
  );
  return hits.map((hit) => {
    const { before = [], after = [] } = around.get(hit.id) ?? {};
    return { ...hit, neighbours: { before: before.map(messageOf), after: after.map(messageOf) } };
  });
}

function hitOf(hit: RecallHit): SearchHit {
  return hit.explanation === null ? messageOf(hit) : { ...messageOf(hit), explanation: hit.explanation };
}

function messageOf(message: StoredMessage): NeighbouringMessage {
  const { id, text, speaker, at, trust } = message;
  const role = message.role === "user" ? ("user" as const) : ("assistant" as const);
  return { id, text, role, ...(speaker === undefined ? {} : { speaker }), at, trust };
}
