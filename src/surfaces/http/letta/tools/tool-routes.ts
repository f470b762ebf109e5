// Defines the routes of `/v1` for all tools, independently of agents.
// Invariant: a tool without a row in the database can be neither changed nor deleted. Lists treat such tools as the
// oldest.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { Route } from "../../route.ts";
import { on, type RecordKind, recordRoutes } from "../letta-routes.ts";
import { pageOfShown, pageQuery, queryFlag, queryTexts, readAll } from "../pages.ts";
import type { StoredTool } from "../runtime-records.ts";
import { invalidArgument } from "../wire-fault.ts";
import { each, given, text } from "../wire-record.ts";
import {
  absentTools,
  newToolOf,
  newToolRequest,
  shownNamedTool,
  shownStoredTool,
  type ShownTool,
  toolChangeOf,
  toolChangeRequest,
  toolRecord,
} from "./tool-record.ts";
import { type FoundTool, toolById } from "./tool-set.ts";

const toolFilters = {
  ...each(text.optional(), "name", "search"),
  ...each(queryTexts.optional(), "names", "tool_ids", "tool_types", "exclude_tool_types"),
  return_only_letta_tools: queryFlag.optional(),
};

const filters = z.object(toolFilters);

const searchRequest = z.object({
  query: text.nullish(),
  limit: z.int().min(1).max(100).nullish(),
  ...each(z.array(text).nullish(), "tags", "tool_types"),
});

const toolKind: RecordKind<ShownTool> = {
  param: "tool",
  one: "a tool",
  many: "tools",
  shape: toolRecord.shape,
  show: (tools) => tools,
};

const tool = recordRoutes("/tools", toolKind);
const upsert = {
  summary: "Create a tool, or change the one with that name",
  body: newToolRequest,
  run: async ({ runtime, body }: { readonly runtime: UserRuntime; readonly body: z.output<typeof newToolRequest> }) =>
    shownStoredTool(await runtime.tools.upsert(newToolOf(body))),
};

export const toolRoutes: readonly Route[] = [
  tool.list({
    query: pageQuery("tool").extend(toolFilters),
    run: async ({ runtime, query }) => pageOfShown(await filteredTools(runtime, query), query),
  }),
  tool.create(upsert),
  tool.upsert(upsert),
  tool.count({
    query: z.object({ ...toolFilters, exclude_letta_tools: queryTexts.optional() }),
    run: async ({ runtime, query }) => (await filteredTools(runtime, query)).length,
  }),
  on(
    "post /tools/add-base-tools",
    "admin",
    "List the built-in tools; nothing is added, because agents always have them",
    {
      output: z.array(toolRecord.shape),
      run: ({ runtime }) => filteredTools(runtime, { return_only_letta_tools: true }),
    },
  ),
  on("post /tools/search", "read", "Search tools by the words in their names and descriptions", {
    body: searchRequest,
    output: z.array(z.looseObject({ tool: toolRecord.shape })),
    run: ({ runtime, body }) => searchTools(runtime, body),
  }),
  tool.get({ run: async ({ runtime }, id) => shown(await toolById(runtime, id)) }),
  tool.change({
    body: toolChangeRequest,
    run: async ({ runtime, body }, id) => {
      const found = stored(await toolById(runtime, id));
      return shownStoredTool(await runtime.tools.update(found.id, toolChangeOf(body, found)));
    },
  }),
  tool.remove({
    summary: "Delete a tool, also from the agents that have it",
    run: async ({ runtime }, id) => runtime.tools.delete(stored(await toolById(runtime, id)).id),
  }),
];

function shown(found: FoundTool): ShownTool {
  return found.kind === "stored" ? shownStoredTool(found.tool) : shownNamedTool(found.tool);
}

/** Returns the stored tool. Throws Fault for a tool that has no row. */
function stored(found: FoundTool): StoredTool {
  if (found.kind === "stored") return found.tool;
  throw invalidArgument("tool", `${found.tool.name} is a tool of the server: it can be neither changed nor deleted.`);
}

type Runtime = Pick<UserRuntime, "tools">;

/** Returns the tools that match the filters, oldest first. */
async function filteredTools({ tools }: Runtime, query: z.output<typeof filters>): Promise<readonly ShownTool[]> {
  const [builtIn, all] = await Promise.all([tools.builtIn(), readAll((range) => tools.list(range))]);
  const named = [...absentTools, ...builtIn].map(shownNamedTool);
  return [...named, ...all.map(shownStoredTool)].filter((one) => isWanted(one, query));
}

function isWanted({ id, name, description, tool_type: type }: ShownTool, query: z.output<typeof filters>): boolean {
  const { exclude_tool_types: excluded = [], search = "" } = query;
  return (
    (query.name === undefined || query.name === name) &&
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

const defaultFound = 50;

/** Returns the tools that contain at least one of the words, best match first; without words, all tools. */
async function searchTools(runtime: Runtime, { query, limit, tags, tool_types }: z.output<typeof searchRequest>) {
  const words = (query ?? "").toLowerCase().match(/\S+/gu) ?? [];
  const countIn = (described: string): number => words.filter((word) => described.includes(word)).length;
  return (await filteredTools(runtime, given({ tool_types })))
    .filter((one) => !tags || tags.some((tag) => one.tags.includes(tag)))
    .map((one) => ({ tool: one, found: countIn(`${one.name} ${one.description}`.toLowerCase()) }))
    .filter(({ found }) => words.length === 0 || found > 0)
    .toSorted((one, other) => other.found - one.found)
    .slice(0, limit ?? defaultFound)
    .map(({ tool: one, found }, at) => ({
      tool: one,
      embedded_text: null,
      fts_rank: at + 1,
      vector_rank: null,
      combined_score: words.length === 0 ? 0 : found / words.length,
    }));
}
