// The passages of an agent, those of its own archive and of the archives that are attached to it, and those of one source.
// Invariant: by their times; documents of folders are not among those of an agent. Only a list of several archives and a search
// for a text read more than a page.
import { appendAll } from "../../../../base/lists.ts";
import * as z from "zod";
import { RequestError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { type ListRange, pageOf, pageQuery, rangeOf } from "../page-query.ts";
import { attachedTo } from "./collections.ts";
import type { ShownPassageFields } from "./shown-archive.ts";

export const passagesQuery = pageQuery("passage").extend({ search: z.string().optional() });

type PassagesQuery = z.output<typeof passagesQuery>;

export interface PassageOfArchive extends ShownPassageFields {
  readonly archiveId: string;
}

type Runtime = Pick<UserRuntime, "archival" | "sources">;
type Sources = Pick<UserRuntime, "sources">;
type PassageReader = (range: ListRange) => Promise<readonly PassageOfArchive[]>;

/** Passages that are read at once. */
const readSize = 500;

/** Returns a page of the passages of an agent. Letta lists from the oldest on, unless the client says otherwise. */
export async function pageOfAgent(
  runtime: Runtime,
  agent: string,
  query: PassagesQuery,
): Promise<readonly PassageOfArchive[]> {
  const own = readerOfAgent(runtime, agent);
  const archives = await attachedTo(runtime, "archive", agent);
  if (archives.length === 0) return pageFrom(own, query);
  const readers = [own, ...archives.map(({ id }) => readerOfSource(runtime, id))];
  const passages = (await Promise.all(readers.map(allFrom))).flat();
  return pageOfAll(passages.toSorted(byTime), query);
}

/** Returns a page of the passages of a source, in the order of `pageOfAgent`. */
export function pageOfSource(
  runtime: Sources,
  source: string,
  query: PassagesQuery,
): Promise<readonly PassageOfArchive[]> {
  return pageFrom(readerOfSource(runtime, source), query);
}

export function passagesOfSource(runtime: Sources, source: string): Promise<readonly PassageOfArchive[]> {
  return allFrom(readerOfSource(runtime, source));
}

function readerOfAgent({ archival }: Runtime, agent: string): PassageReader {
  return async (range) => (await archival.list(agent, range)).map((row) => ({ ...row, archiveId: agent }));
}

function readerOfSource({ sources }: Sources, source: string): PassageReader {
  return async (range) => (await sources.passages(source, range)).map((row) => ({ ...row, archiveId: source }));
}

async function pageFrom(
  read: PassageReader,
  { search, ...query }: PassagesQuery,
): Promise<readonly PassageOfArchive[]> {
  if (search !== undefined) return pageOfAll(await allFrom(read), { search, ...query });
  const range = rangeOf({ ascending: true, ...query });
  return range === null ? [] : read(range);
}

async function allFrom(read: PassageReader): Promise<readonly PassageOfArchive[]> {
  const all: PassageOfArchive[] = [];
  while (true) {
    const last = all.at(-1);
    const rows = await read({ order: "oldest", limit: readSize, ...(last === undefined ? {} : { after: last.id }) });
    appendAll(all, rows);
    if (rows.length < readSize) return all;
  }
}

function byTime(one: PassageOfArchive, other: PassageOfArchive): number {
  return Number(one.at) - Number(other.at) || (one.id < other.id ? -1 : 1);
}

function pageOfAll(
  passages: readonly PassageOfArchive[],
  { search, ...query }: PassagesQuery,
): readonly PassageOfArchive[] {
  const wanted = search?.toLowerCase();
  const kept = passages.filter(({ text }) => wanted === undefined || text.toLowerCase().includes(wanted));
  return pageOf(kept, { ascending: true, ...query });
}

/** Whether the UUID is that of an agent: then it is also that of its own archive. */
export async function isAgent({ agents }: Pick<UserRuntime, "agents">, id: string): Promise<boolean> {
  try {
    return (await agents.find(id)).id === id;
  } catch (error) {
    if (error instanceof RequestError && error.code === "agent_not_found") return false;
    throw error;
  }
}
