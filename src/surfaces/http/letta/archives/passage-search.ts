// Searches of passages, of one agent or of all.
// Invariant: what a folder's files hold is not found here, as in Letta.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { idOf } from "../ids.ts";
import { queryNumber, queryTexts } from "../page-query.ts";
import { given } from "../wire-values.ts";
import { attachedTo, collectionAt } from "./collections.ts";
import { isAgent, passagesOfSource } from "./passage-lists.ts";
import { embeddingConfigOf, shownPassage, type ShownPassageFields } from "./shown-archive.ts";
import { sentDayOrTime } from "../../wire-time.ts";

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

interface PassageSearch {
  readonly query: string;
  readonly tags?: readonly string[] | undefined;
  readonly matchAll: boolean;
  readonly limit: number;
  readonly start?: string | undefined;
  readonly end?: string | undefined;
}

const defaultResults = 10;
const defaultFound = 50;
const maxResults = 100;

type Runtime = Pick<UserRuntime, "agents" | "archival" | "sources" | "models">;

export async function searchOfAgent(runtime: Runtime, agent: string, query: z.output<typeof searchQuery>) {
  const { top_k: limit = defaultResults, tag_match_mode: mode, start_datetime: start, end_datetime: end } = query;
  const hits = await found(runtime, agent, { ...query, matchAll: mode === "all", limit, start, end });
  const results = hits.map(({ id, at, text, tags }) => ({
    id: `passage-${id}`,
    timestamp: at.toISOString().replace("Z", "000+00:00"),
    content: text,
    tags,
  }));
  return { results, count: results.length };
}

/** Letta gives no scores either: all are 0, and the order is that of the search. */
export async function searchEverywhere(runtime: Runtime, request: z.output<typeof searchRequest>) {
  const { agent_id: agent, archive_id: archive, query = "", tags, ...rest } = given(request);
  const { limit = defaultFound, tag_match_mode: mode, start_date: start, end_date: end } = rest;
  const search = { query, tags, matchAll: mode === "all", limit, start, end };
  const config = await embeddingConfigOf(runtime);
  const hits =
    archive === undefined
      ? await foundByAll(runtime, agent === undefined ? await allAgents(runtime) : [agent], search)
      : await foundInArchive(runtime, archive, search);
  return hits.slice(0, limit).map(({ archiveId, ...passage }) => ({
    passage: shownPassage(passage, archiveId, config),
    score: 0,
    metadata: {},
  }));
}

async function allAgents({ agents }: Runtime): Promise<readonly string[]> {
  return (await agents.list()).map(({ id }) => id);
}

interface FoundPassage extends ShownPassageFields {
  readonly archiveId: string | null;
}

async function foundByAll(
  runtime: Runtime,
  agents: readonly string[],
  search: PassageSearch,
): Promise<readonly FoundPassage[]> {
  const ofAgents = await Promise.all(agents.map((agent) => foundByAgent(runtime, agent, search)));
  const ranked = ofAgents.flat().toSorted((one, other) => other.score - one.score);
  return [...new Map(ranked.map((hit) => [hit.id, hit])).values()];
}

async function foundByAgent(runtime: Runtime, agent: string, search: PassageSearch) {
  const archives = new Map((await attachedTo(runtime, "archive", agent)).map(({ id, name }) => [name, id]));
  return (await found(runtime, agent, search)).map(({ id, text, tags, at, source, explanation, replacedBy }) => ({
    id,
    text,
    tags,
    at,
    replacedBy,
    archiveId: source === undefined ? agent : (archives.get(source.name) ?? null),
    score: explanation?.score ?? 0,
  }));
}

/** An archive may be attached to no agent: it is then searched for the words. */
async function foundInArchive(
  runtime: Runtime,
  archive: string,
  search: PassageSearch,
): Promise<readonly FoundPassage[]> {
  if (await isAgent(runtime, archive)) return foundByAll(runtime, [archive], search);
  await collectionAt(runtime, "archive", archive);
  const words = search.query
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  return (await passagesOfSource(runtime, archive)).filter(({ text, tags }) => {
    const folded = text.toLowerCase();
    return words.every((word) => folded.includes(word)) && hasTags(tags, search);
  });
}

function hasTags(tags: readonly string[], { tags: wanted = [], matchAll }: PassageSearch): boolean {
  if (wanted.length === 0) return true;
  return matchAll ? wanted.every((tag) => tags.includes(tag)) : wanted.some((tag) => tags.includes(tag));
}

async function found(runtime: Runtime, agent: string, search: PassageSearch) {
  const { query, tags = [], matchAll, limit, start, end } = search;
  if (limit === 0 || query.trim() === "") return [];
  const { hits } = await runtime.archival.search(agent, query, {
    kinds: ["memory", "fact"],
    pageSize: Math.min(limit, maxResults),
    ...(tags.length === 0 ? {} : { [matchAll ? "allTags" : "tags"]: [...tags] }),
    ...(start === undefined ? {} : { startDate: minuteOf(start) }),
    ...(end === undefined ? {} : { endDate: minuteOf(end) }),
  });
  return hits;
}

/** A day or a minute of an ISO 8601 time, as the search takes it. */
function minuteOf(time: string): string {
  return time.slice(0, "2026-01-01T00:00".length).replace("T", " ");
}
