// Archival memory for one tool call: the call finds its own inserts at once; other calls find them after the call's
// result is committed.
// Invariant: this file writes nothing to the store; the inserts are stored with the call's result.
import { storableText } from "../../base/code-points.ts";
import { foldText } from "../../base/fold-text.ts";
import type { Ids } from "../../base/ids.ts";
import { ToolError } from "../../base/errors.ts";
import type { Trust } from "../../base/message/message.ts";
import { quotedLiteral, wordRelevance } from "../../base/query-words.ts";
import { contentTerms } from "../../base/search-view/search-pieces.ts";
import { secretsLast } from "../../base/search-view/stated-secrets.ts";
import type { ArchivalDraft, ArchivalQuery, SearchHit, SearchPage } from "../../tool/tool.ts";
import { spanOfDays } from "../days.ts";
import { searchPageSize } from "../recall/recall-search.ts";
import type { ClassOfLine } from "../trust.ts";
import { type NewPassage, passageLengthFault } from "../../store/port/passage-store.ts";
import type { TimeSpan } from "../../store/port/page.ts";
import type { ArchivalHit, ArchivalMemory } from "./archival-memory.ts";

export interface PassageDraft extends ArchivalDraft {
  readonly inserted: readonly NewPassage[];
  /** Waits for the inserts that the tool did not await. Their errors are lost: only awaited inserts report errors. */
  settled(): Promise<void>;
}

interface DraftDeps {
  readonly ids: Ids;
  readonly now: () => Date;
  readonly classOf: ClassOfLine;
  readonly timeZone: string;
}

export function createArchivalDraft(memory: ArchivalMemory, { ids, now, classOf, timeZone }: DraftDeps): PassageDraft {
  const inserted: NewPassage[] = [];
  /** The inserted passages whose texts are not stored yet, each text once. */
  const fresh: NewPassage[] = [];
  const idFor = async (passage: NewPassage): Promise<string> => {
    const known = fresh.find(({ text }) => text === passage.text)?.id ?? (await memory.idOf(passage.text));
    if (known === null) fresh.push(passage);
    return known ?? passage.id;
  };
  const insert: ArchivalDraft["insert"] = async (given, { tags = [], replaces = [] } = {}) => {
    const text = storableText(given);
    if (text.trim() === "") throw new ToolError("Nothing was stored: content is empty.");
    const fault = passageLengthFault(text);
    if (fault !== null) throw new ToolError(`Nothing was stored: expected ${fault}. Insert it in shorter parts.`);
    const passage: NewPassage = { id: ids.next(), text, tags: tags.map(storableText), kind: "memory", at: now() };
    const replaced = await idsOf(memory, replaces);
    const trust = classOf(text);
    const id = await idFor(passage);
    inserted.push({
      ...passage,
      ...(replaced.length === 0 ? {} : { replaces: replaced }),
      // Only the class `user` is final now: any other class may get lower with the results of the call's later searches.
      ...(trust === "user" ? { trust } : {}),
    });
    return { id, closest: replaced.length === 0 ? await closestTo(memory, text, trust) : [] };
  };
  const inserts: Promise<unknown>[] = [];
  return {
    inserted,
    async settled() {
      await Promise.allSettled(inserts);
    },
    insert(given, options) {
      const made = insert(given, options);
      inserts.push(made);
      // Without this handler, an error of an insert that the tool does not await would end the process.
      made.catch(() => undefined);
      return made;
    },
    async search(query) {
      const own = fresh.filter((passage) => matches(passage, query, timeZone));
      const { page, pageSize = searchPageSize } = query;
      const hits: SearchHit[] = own
        .slice(page * pageSize, (page + 1) * pageSize)
        .map(({ id, text, tags, at }) => ({ id, text, tags, at, trust: classOf(text), origin: "model" }));
      const stored = await searchAfter(own.length, memory, query);
      return { ...stored, hits: [...hits, ...stored.hits], total: stored.total + own.length };
    },
  };
}

/**
 * Returns the stored hits of one page of a result list that begins with `count` of the call's own inserts. Such a page
 * can have hits from two pages of the store.
 */
async function searchAfter(count: number, memory: ArchivalMemory, query: ArchivalQuery): Promise<SearchPage> {
  const search = async (page: number): Promise<SearchPage> => {
    const found = await memory.search({ ...query, page, grouped: true });
    return { ...found, hits: withSecretsLast(found.hits) };
  };
  const { page, pageSize = searchPageSize } = query;
  if (count === 0) return search(page);
  const from = page * pageSize - count;
  const first = Math.max(0, Math.floor(from / pageSize));
  const skipped = Math.max(0, from - first * pageSize);
  const end = Math.max(0, from + pageSize - first * pageSize);
  const found = await search(first);
  const next = skipped === 0 ? [] : (await search(first + 1)).hits;
  return { ...found, page, hits: [...found.hits, ...next].slice(skipped, end) };
}

/** Moves hits that state a secret to the end. If this changes the order, all hits lose the mark `follows`. */
function withSecretsLast(hits: readonly ArchivalHit[]): readonly SearchHit[] {
  const ordered = secretsLast(hits, ({ text }) => text);
  return ordered === hits ? hits : ordered.map(({ follows: _follows, ...hit }) => hit);
}

/** Maximum number of passages that an insert reports as close, and number of search hits that they are chosen from. */
const maxClosest = 2;
const searchedClosest = 10;
/** A passage is close to an insert with this cosine, or with this many common terms (measured: docs/benchmarks.md). */
const minCosine = 0.55;
const minCommonTerms = 2;
/** Numbers do not count as common terms, because unrelated dates share them. */
const isNumber = /^\d+$/u;

async function closestTo(memory: ArchivalMemory, text: string, trust: Trust): Promise<readonly SearchHit[]> {
  const kinds = ["memory", "fact"] as const;
  const query = { query: text, kinds, page: 0, pageSize: searchedClosest, countsAccesses: false };
  const { hits } = await memory.search(query);
  const terms = contentTerms(text);
  const isClose = ({ text: other, explanation: { meaning } }: ArchivalHit): boolean =>
    (meaning !== null && meaning.cosine >= minCosine) ||
    [...contentTerms(other)].filter((term) => terms.has(term) && !isNumber.test(term)).length >= minCommonTerms;
  return hits
    .filter((hit) => hit.text !== text && hit.replacement === undefined && hit.source === undefined && isClose(hit))
    .filter((hit) => trust === "external" || hit.trust !== "external")
    .slice(0, maxClosest);
}

/**
 * Returns the full ids for given endings of ids. Throws ToolError for an ending that does not match exactly one of the agent's
 * own passages.
 */
async function idsOf(memory: ArchivalMemory, given: readonly string[]): Promise<readonly string[]> {
  const endings = given.map((id) => id.trim().toLowerCase());
  const known = endings.length === 0 ? [] : await memory.idsEnding(endings);
  return endings.map((ending) => {
    const [id, ...others] = /^[0-9a-f-]{8,}$/u.test(ending) ? known.filter((one) => one.endsWith(ending)) : [];
    if (id !== undefined && others.length === 0) return id;
    throw new ToolError(
      `Nothing was stored: you saved no passage with the id ${ending}. archival_memory_search shows the ids.`,
    );
  });
}

function matches(
  { text: stored, tags: filed, kind, at }: NewPassage,
  { query, tags, allTags = [], kinds, startDate, endDate }: ArchivalQuery,
  timeZone: string,
): boolean {
  if (!isIn(spanOfDays({ start: startDate, end: endDate }, timeZone), at)) return false;
  if (kinds !== undefined && !kinds.includes(kind)) return false;
  if (tags !== undefined && tags.length > 0 && !tags.some((tag) => filed.includes(tag))) return false;
  if (!allTags.every((tag) => filed.includes(tag))) return false;
  return query === undefined || hasQuery(stored, query);
}

function isIn({ from, before }: TimeSpan, at: Date): boolean {
  return (from === undefined || at >= from) && (before === undefined || at < before);
}

function hasQuery(stored: string, query: string): boolean {
  const text = foldText(stored);
  const literal = quotedLiteral(query);
  return literal === undefined ? wordRelevance(foldText(query))(text) > 0 : text.includes(foldText(literal));
}
