// Lists and searches passages of a source or of an agent. An agent has its own archive and the attached archives.
// Invariant: passages are sorted by time, by default oldest first. As in Letta, an agent's lists and searches do not
// contain the files of folders. Only lists of several archives, and searches, read more than one page.
import { valueOn } from "../../../../base/thrown-values.ts";
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { sentDayOrTime, sentTime } from "../../wire-time.ts";
import { idOf } from "../ids.ts";
import { embeddingConfigField, embeddingConfigOf, type WithConfig } from "../models.ts";
import {
  type ListRange,
  pageOf,
  pageQuery,
  queryNumber,
  queryTexts,
  rangeOf,
  readAll,
  readHits,
  readWanted,
} from "../pages.ts";
import { betweenTimes, daysOf, type SentRange } from "../search-days.ts";
import { fixed, given, idWith, json, momentOf, nullableText, nulls, recordOf, text } from "../wire-record.ts";
import { attachedTo, collectionAt, collectionsOf, madeFields } from "./collections.ts";

/** A passage, and the archive that holds it. */
interface Passage {
  readonly id: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly at: Date;
  /** The id of the passage that replaced this one. */
  readonly replacedBy?: string | undefined;
  /** The id of the archive; null if it is unknown. */
  readonly archiveId: string | null;
}

/** A passage in Letta's form. Vectors are not sent, so `embedding` is null. */
export const passageRecord = recordOf<Passage & WithConfig>()({
  ...madeFields,
  created_at: [text, ({ at }) => momentOf(at)],
  updated_at: [text, ({ at }) => momentOf(at)],
  is_deleted: fixed(false),
  archive_id: [nullableText, ({ archiveId }) => (archiveId === null ? null : `archive-${archiveId}`)],
  // Null, except in the responses of the route for a folder's passages, which sets this field.
  source_id: [nullableText, () => null],
  ...nulls("file_id", "file_name", "embedding"),
  // Letta has no field for the replacing passage.
  metadata: [json, ({ replacedBy }) => (replacedBy === undefined ? {} : { replaced_by: `passage-${replacedBy}` })],
  tags: [z.array(text).readonly().nullable(), ({ tags }) => (tags.length === 0 ? null : tags)],
  id: idWith("passage"),
  text: [text, "text"],
  embedding_config: embeddingConfigField,
});

export async function shownPassages(runtime: Pick<UserRuntime, "models">, passages: readonly Passage[]) {
  const config = await embeddingConfigOf(runtime);
  return passages.map((passage) => passageRecord.show({ ...passage, config }));
}

export const newPassageRequest = z.object({
  text: z.string().min(1, { abort: true }),
  tags: z.array(text).nullish(),
  metadata: z.strictObject({}, { error: "Passages have no metadata on this server: use tags." }).nullish(),
  created_at: sentTime({ isLocal: true }).nullish(),
});

type NewPassage = z.output<typeof newPassageRequest>;

/** Returns the tags and the time of a sent passage, as the runtime accepts them. */
export function detailsOf({ tags, created_at: at }: NewPassage) {
  return given({ tags, at });
}

/** Returns a passage that was just added, in Letta's form, as a list of one. */
export function shownNew(
  runtime: Pick<UserRuntime, "models">,
  { id, archiveId }: Pick<Passage, "id" | "archiveId">,
  request: NewPassage,
) {
  return shownPassages(runtime, [
    { tags: [], at: new Date(), ...detailsOf(request), id, archiveId, text: request.text },
  ]);
}

export const passagesQuery = pageQuery("passage").extend({ search: text.optional() });

type PassagesQuery = z.output<typeof passagesQuery>;
type Sources = Pick<UserRuntime, "sources">;
type Readable = Pick<UserRuntime, "archival" | "sources">;
type PassageReader = (range: ListRange) => Promise<readonly Passage[]>;

/** Returns a page of the passages of an agent's own archive and of its attached archives. */
export async function pageOfAgent(runtime: Readable, agent: string, query: PassagesQuery): Promise<readonly Passage[]> {
  const readers = [ownReader(runtime, agent)];
  for (const { id } of await attachedTo(runtime, "archive", agent)) readers.push(readerOf(runtime, id));
  if (readers.length === 1) return pageFrom(readers[0]!, query);
  const passages = await Promise.all(readers.map((read) => readAll(read)));
  return pageOfAll(passages.flat().toSorted(byTime), query);
}

/** Returns a function that reads the passages of an agent's own archive. */
function ownReader({ archival }: Pick<Readable, "archival">, agent: string): PassageReader {
  return async (range) => (await archival.list(agent, range)).map((row) => ({ ...row, archiveId: agent }));
}

/** Returns a page of the passages of a source. */
export function pageOfSource(runtime: Sources, source: string, query: PassagesQuery): Promise<readonly Passage[]> {
  return pageFrom(readerOf(runtime, source), query);
}

/** Returns a function that reads the passages of a source. */
function readerOf({ sources }: Sources, source: string): PassageReader {
  return async (range) => (await sources.passages(source, range)).map((row) => ({ ...row, archiveId: source }));
}

async function pageFrom(read: PassageReader, query: PassagesQuery): Promise<readonly Passage[]> {
  if (query.search !== undefined) return pageOfAll(await readAll(read), query);
  const range = rangeOf({ ascending: true, ...query });
  return range === null ? [] : read(range);
}

function byTime(one: Passage, other: Passage): number {
  return Number(one.at) - Number(other.at) || (one.id < other.id ? -1 : 1);
}

function pageOfAll(passages: readonly Passage[], { search = "", ...query }: PassagesQuery): readonly Passage[] {
  const wanted = search.toLowerCase();
  const kept = passages.filter((passage) => passage.text.toLowerCase().includes(wanted));
  return pageOf(kept, { ascending: true, ...query });
}

/** Returns whether a UUID is the id of an agent. The agent's own archive has the same UUID. */
export async function isAgent({ agents }: Pick<UserRuntime, "agents">, id: string): Promise<boolean> {
  return (await agents.find(id).catch(valueOn("agent_not_found", null)))?.id === id;
}

const matchMode = z.enum(["any", "all"]).optional();

export const searchQuery = z.object({
  query: z.string(),
  tags: queryTexts.optional(),
  tag_match_mode: matchMode,
  top_k: queryNumber.optional(),
  start_datetime: sentDayOrTime().optional(),
  end_datetime: sentDayOrTime().optional(),
});

export const searchRequest = z.object({
  query: z.string().nullish(),
  agent_id: idOf("agent").nullish(),
  archive_id: idOf("archive").nullish(),
  tags: z.array(z.string()).nullish(),
  tag_match_mode: matchMode,
  limit: z.int().min(1).max(1000).optional(),
  start_date: sentDayOrTime().nullish(),
  end_date: sentDayOrTime().nullish(),
});

interface PassageSearch extends SentRange {
  /** A blank query finds the newest passages. */
  readonly query: string;
  readonly tags?: readonly string[] | undefined;
  readonly matchAll: boolean;
  readonly limit: number;
  /** The archive that is searched. Default: all archives of the agent. */
  readonly archive?: string | undefined;
}

interface FoundPassage extends Passage {
  readonly score: number;
}

const defaultResults = 10;
const defaultFound = 50;

type Runtime = Pick<UserRuntime, "agents" | "archival" | "sources" | "models">;

export async function searchOfAgent(runtime: Runtime, agent: string, query: z.output<typeof searchQuery>) {
  const { top_k: limit = defaultResults, tag_match_mode: mode, start_datetime: start, end_datetime: end } = query;
  const search = { ...query, matchAll: mode === "all", limit, start, end };
  const hits = (await foundByAll(runtime, [agent], search)).slice(0, limit);
  const results = hits.map(({ id, at, text, tags }) => ({
    id: `passage-${id}`,
    timestamp: at.toISOString().replace("Z", "000+00:00"),
    content: text,
    tags,
  }));
  return { results, count: results.length };
}

/**
 * Searches the passages of one agent, one archive or all agents. All scores are 0, as in Letta; hits are in the order of the
 * search.
 */
export async function searchEverywhere(runtime: Runtime, request: z.output<typeof searchRequest>) {
  const { agent_id: agent, archive_id: archive, query = "", tags, ...rest } = given(request);
  const { limit = defaultFound, tag_match_mode: mode, start_date: start, end_date: end } = rest;
  const search = { query, tags, matchAll: mode === "all", limit, start, end, archive };
  const hits =
    archive === undefined
      ? await foundByAll(
          runtime,
          agent === undefined ? (await runtime.agents.list()).map(({ id }) => id) : [agent],
          search,
        )
      : await foundInArchive(runtime, archive, search);
  const passages = await shownPassages(runtime, hits.slice(0, limit));
  return passages.map((passage) => ({ passage, score: 0, metadata: {} }));
}

async function foundByAll(
  runtime: Runtime,
  agents: readonly string[],
  search: PassageSearch,
): Promise<readonly Passage[]> {
  if (search.query.trim() === "") return matching(await archivesOf(runtime, agents, search), search);
  const ofAgents = await Promise.all(agents.map((agent) => foundByAgent(runtime, agent, search)));
  const ranked = ofAgents.flat().toSorted((one, other) => other.score - one.score);
  return [...new Map(ranked.map((hit) => [hit.id, hit])).values()];
}

/** Returns the archives to search for these agents. An archive that is attached to several agents is returned once. */
async function archivesOf(
  runtime: Runtime,
  agents: readonly string[],
  { archive }: PassageSearch,
): Promise<readonly SearchedArchive[]> {
  const zoneOf = async (agent: string) => (await runtime.agents.find(agent)).settings.timeZone;
  const zones = new Map(await Promise.all(agents.map(async (agent) => [agent, await zoneOf(agent)] as const)));
  const own = agents.map((id) => ({ id, agentIds: [id], read: ownReader(runtime, id) }));
  const others = (await collectionsOf(runtime, "archive")).map(({ id, agentIds }) => {
    return { id, agentIds, read: readerOf(runtime, id) };
  });
  return [...own, ...others].flatMap(({ id, agentIds, read }) => {
    const timeZones = [...new Set(agentIds.flatMap((agent) => zones.get(agent) ?? []))];
    return timeZones.length === 0 || (archive !== undefined && archive !== id) ? [] : [{ read, timeZones }];
  });
}

/** Returns the passages of an agent's archives that match the query best. */
async function foundByAgent(runtime: Runtime, agent: string, search: PassageSearch): Promise<readonly FoundPassage[]> {
  const { query, tags = [], matchAll, limit, archive } = search;
  const isWanted = ({ archiveId }: Passage): boolean => archive === undefined || archiveId === archive;
  const { start: startDate, end: endDate } = await daysOf(runtime, agent, search);
  const archives = new Map((await attachedTo(runtime, "archive", agent)).map(({ id, name }) => [name, id]));
  const wantedTags = tags.length === 0 ? {} : { [matchAll ? "allTags" : "tags"]: [...tags] };
  const options = { kinds: ["memory", "fact"] as const, ...wantedTags, ...given({ startDate, endDate }) };
  return readHits({ limit, isWanted }, async (page) => {
    const { hits, total } = await runtime.archival.search(agent, query, { ...options, ...page });
    return {
      hits: hits.map(({ id, text, tags, at, explanation, replacedBy, source }) => {
        const archiveId = source === undefined ? agent : (archives.get(source.name) ?? null);
        return { id, text, tags, at, replacedBy, archiveId, score: explanation?.score ?? 0 };
      }),
      total,
    };
  });
}

/** Searches an archive. Only an agent's own archive is also searched by meaning, which needs an agent's embedder. */
async function foundInArchive(runtime: Runtime, archive: string, search: PassageSearch): Promise<readonly Passage[]> {
  if (await isAgent(runtime, archive)) return foundByAll(runtime, [archive], search);
  await collectionAt(runtime, "archive", archive);
  // An archive has no zone of its own: times without a zone are in UTC, as when a passage is added.
  return matching([{ read: readerOf(runtime, archive), timeZones: ["UTC"] }], search);
}

/** An archive that is searched. `timeZones`: the zones of its agents, in which a search's times without a zone are read. */
interface SearchedArchive {
  readonly read: PassageReader;
  readonly timeZones: readonly string[];
}

/**
 * Returns the passages that contain all words of the query and match the tags and times of the search, newest first.
 * Reads each archive only until `limit` passages are found.
 */
async function matching(archives: readonly SearchedArchive[], search: PassageSearch): Promise<readonly Passage[]> {
  const { limit } = search;
  const words = search.query
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  const found = archives.map(({ read, timeZones }) => {
    const ranges = timeZones.map((timeZone) => betweenTimes(timeZone, search));
    const isWanted = ({ text, tags, at }: Passage): boolean => {
      const folded = text.toLowerCase();
      const isBetween = ranges.some((isIn) => isIn(at));
      return isBetween && words.every((word) => folded.includes(word)) && hasTags(tags, search);
    };
    return readWanted({ limit }, { isWanted }, (range) => read({ order: "newest", ...range }));
  });
  return (await Promise.all(found)).flat().toSorted((one, other) => byTime(other, one));
}

function hasTags(tags: readonly string[], { tags: wanted = [], matchAll }: PassageSearch): boolean {
  if (wanted.length === 0) return true;
  return matchAll ? wanted.every((tag) => tags.includes(tag)) : wanted.some((tag) => tags.includes(tag));
}
