// The passages of an agent: those of its own archive and of the archives that are attached to it.
// Invariant: in the order in which they were added; documents of folders are not among them.
import * as z from "zod";
import { RequestError } from "../../../errors.ts";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import { pageOf, pageQuery } from "../page-query.ts";
import { attachedTo } from "./collections.ts";
import type { ShownPassageFields } from "./shown-archive.ts";

export const passagesQuery = pageQuery("passage").extend({ search: z.string().optional() });

export interface PassageOfArchive extends ShownPassageFields {
  readonly archiveId: string;
}

type Runtime = Pick<UserRuntime, "archival" | "sources">;

/** Passages that are read at once. */
const pageSize = 500;

export async function passagesOfAgent(runtime: Runtime, agent: string): Promise<readonly PassageOfArchive[]> {
  const own: PassageOfArchive[] = [];
  for await (const passage of runtime.archival.export(agent)) own.push({ ...passage, archiveId: agent });
  const archives = await attachedTo(runtime, "archive", agent);
  const attached = await Promise.all(archives.map(({ id }) => passagesOfSource(runtime, id)));
  return [...own, ...attached.flat()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

export async function passagesOfSource(runtime: Pick<UserRuntime, "sources">, source: string) {
  const all: PassageOfArchive[] = [];
  while (true) {
    const last = all.at(-1);
    const after = last === undefined ? {} : { after: last.id };
    const { rows } = await runtime.sources.passages(source, { order: "oldest", limit: pageSize, ...after });
    all.push(...rows.map((passage) => ({ ...passage, archiveId: source })));
    if (rows.length < pageSize) return all;
  }
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

/** Letta lists passages from the oldest on, unless the client says otherwise. */
export function pageOfPassages(
  passages: readonly PassageOfArchive[],
  { search, ...query }: z.output<typeof passagesQuery>,
): readonly PassageOfArchive[] {
  const wanted = search?.toLowerCase();
  const kept = passages.filter(({ content }) => wanted === undefined || content.toLowerCase().includes(wanted));
  return pageOf(kept, { ascending: true, ...query });
}
