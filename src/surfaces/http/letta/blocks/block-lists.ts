// Lists of blocks with Letta's filters.
// Invariant: a filter that the runtime does not have is applied to all blocks, before the page is cut.
import { appendAll } from "../../../../base/lists.ts";
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { pageOf, pageQuery, queryFlag, queryNumber, queryTexts, rangeOf } from "../page-query.ts";
import type { Module } from "./shown-block.ts";

export const blockFilters = {
  label: z.string().optional(),
  label_search: z.string().optional(),
  description_search: z.string().optional(),
  value_search: z.string().optional(),
  tags: queryTexts.optional(),
  match_all_tags: queryFlag.optional(),
  templates_only: queryFlag.optional(),
  // No block here has one of these: a filter by it finds none.
  identity_id: z.string().optional(),
  identifier_keys: queryTexts.optional(),
  name: z.string().optional(),
  project_id: z.string().optional(),
  connected_to_agents_count_eq: queryTexts.optional(),
  connected_to_agents_count_gt: queryNumber.optional(),
  connected_to_agents_count_lt: queryNumber.optional(),
};

export const blocksQuery = pageQuery("block").extend(blockFilters);
type BlocksQuery = z.output<typeof blocksQuery>;

type Runtime = Pick<UserRuntime, "modules">;

export async function listBlocks(runtime: Runtime, query: BlocksQuery): Promise<readonly Module[]> {
  const { label, tags } = query;
  const ofRuntime = { ...(label === undefined ? {} : { label }), ...(tags === undefined ? {} : { tags }) };
  const range = rangeOf(query);
  const { identity_id: identity, identifier_keys: keys, name, project_id: project } = query;
  const isUnmet = [identity, keys, name, project].some((wanted) => wanted !== undefined);
  if (range === null || isUnmet) return [];
  if (!isFilteredHere(query)) return runtime.modules.list({ ...ofRuntime, ...range });
  const all = await allModules(runtime, ofRuntime);
  const kept = await keptOf(runtime, all, query);
  return pageOf(kept, query);
}

function isFilteredHere(query: BlocksQuery): boolean {
  const ofRuntime = ["order", "limit", "before", "after", "ascending", "label", "tags"];
  return Object.entries(query).some(([name, value]) => {
    return !ofRuntime.includes(name) && value !== undefined && value !== false;
  });
}

/** Modules that are read at once. */
const maxRead = 1000;

/** Oldest first. */
export async function allModules(
  { modules }: Runtime,
  filter: { readonly label?: string; readonly tags?: readonly string[] } = {},
): Promise<readonly Module[]> {
  const all: Module[] = [];
  for (;;) {
    const last = all.at(-1);
    const after = last === undefined ? {} : { after: last.id };
    const page = await modules.list({ ...filter, ...after, order: "oldest", limit: maxRead });
    appendAll(all, page);
    if (page.length < maxRead) return all;
  }
}

async function keptOf(runtime: Runtime, all: readonly Module[], query: BlocksQuery): Promise<readonly Module[]> {
  const { match_all_tags: needsAll, tags = [] } = query;
  const contains = (text: string | null, part: string | undefined): boolean =>
    part === undefined || (text ?? "").toLowerCase().includes(part.toLowerCase());
  const kept = all.filter(
    (module) =>
      query.templates_only !== true &&
      contains(module.label, query.label_search) &&
      contains(module.description, query.description_search) &&
      contains(module.value, query.value_search) &&
      (needsAll !== true || tags.every((tag) => module.tags.includes(tag))),
  );
  return withHolders(runtime, kept, query);
}

async function withHolders(
  { modules }: Runtime,
  kept: readonly Module[],
  query: BlocksQuery,
): Promise<readonly Module[]> {
  const { connected_to_agents_count_eq: equal, connected_to_agents_count_gt: above } = query;
  const { connected_to_agents_count_lt: below } = query;
  if (equal === undefined && above === undefined && below === undefined) return kept;
  const counts = await Promise.all(kept.map(async ({ id }) => (await modules.holders(id)).length));
  return kept.filter((_module, at) => {
    const count = counts[at] ?? 0;
    if (above !== undefined && count <= above) return false;
    if (below !== undefined && count >= below) return false;
    return equal === undefined || equal.includes(String(count));
  });
}
