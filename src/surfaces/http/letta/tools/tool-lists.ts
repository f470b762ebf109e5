// Lists of tools with Letta's filters: the stored ones, and those that need no row.
// Invariant: tools without a row count as the oldest, in the order in which they are defined.
import { appendAll } from "../../../../base/lists.ts";
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { pageOfShown, pageQuery, queryFlag, queryTexts } from "../page-query.ts";
import { absentTools, shownAbsentTool, shownBuiltInTool, shownStoredTool, type StoredTool } from "./shown-tool.ts";

export const toolFilters = {
  name: z.string().optional(),
  names: queryTexts.optional(),
  tool_ids: queryTexts.optional(),
  search: z.string().optional(),
  tool_types: queryTexts.optional(),
  exclude_tool_types: queryTexts.optional(),
  return_only_letta_tools: queryFlag.optional(),
};

const filters = z.object(toolFilters);
type ToolFilters = z.output<typeof filters>;
export const toolsQuery = pageQuery("tool").extend(toolFilters);

type Runtime = Pick<UserRuntime, "tools">;
type ShownTool = ReturnType<typeof shownStoredTool> | ReturnType<typeof shownBuiltInTool>;

/** Oldest first. */
export async function filteredTools(runtime: Runtime, query: ToolFilters): Promise<readonly ShownTool[]> {
  const [builtIn, stored] = await Promise.all([runtime.tools.builtIn(), storedTools(runtime)]);
  const all: readonly ShownTool[] = [
    ...absentTools.map(shownAbsentTool),
    ...builtIn.map(shownBuiltInTool),
    ...stored.map(shownStoredTool),
  ];
  return all.filter((tool) => isWanted(tool, query));
}

export async function listTools(runtime: Runtime, query: z.output<typeof toolsQuery>): Promise<readonly ShownTool[]> {
  return pageOfShown(await filteredTools(runtime, query), query);
}

function isWanted({ id, name, description, tool_type: type }: ShownTool, query: ToolFilters): boolean {
  const { exclude_tool_types: excluded = [], search = "" } = query;
  return (
    isAmong(name, query.name === undefined ? undefined : [query.name]) &&
    isAmong(name, query.names) &&
    isAmong(id, query.tool_ids) &&
    isAmong(type, query.tool_types) &&
    !excluded.includes(type) &&
    (query.return_only_letta_tools !== true || type.startsWith("letta_")) &&
    `${name} ${description}`.toLowerCase().includes(search.toLowerCase())
  );
}

function isAmong(value: string, allowed: readonly string[] | undefined): boolean {
  return allowed === undefined || allowed.includes(value);
}

/** Tools that are read at once. */
const maxRead = 1000;

async function storedTools({ tools }: Runtime): Promise<readonly StoredTool[]> {
  const all: StoredTool[] = [];
  for (;;) {
    const last = all.at(-1);
    const after = last === undefined ? {} : { after: last.id };
    const page = await tools.list({ ...after, order: "oldest", limit: maxRead });
    appendAll(all, page);
    if (page.length < maxRead) return all;
  }
}
