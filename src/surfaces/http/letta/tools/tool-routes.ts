// Routes of `/v1` about tools on their own.
// Invariant: a tool of the runtime can be neither changed nor deleted.
import * as z from "zod";
import { idOf } from "../ids.ts";
import { route, type Route } from "../../route.ts";
import { queryTexts } from "../page-query.ts";
import { invalidArgument } from "../wire-fault.ts";
import { shownAbsentTool, shownBuiltInTool, shownStoredTool, toolShape } from "./shown-tool.ts";
import { filteredTools, listTools, toolFilters, toolsQuery } from "./tool-lists.ts";
import { newToolOf, newToolRequest, toolChangeOf, toolChangeRequest } from "./tool-request.ts";
import { searchRequest, searchTools } from "./search-tools.ts";
import { type FoundTool, toolById } from "./tool-set.ts";

const toolPath = z.object({ tool: idOf("tool") });

export const toolRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/tools",
    summary: "List tools",
    scope: "read",
    query: toolsQuery,
    output: z.array(toolShape),
    run: ({ runtime, query }) => listTools(runtime, query),
  }),
  route({
    method: "post",
    path: "/tools",
    summary: "Create a tool, or change the one of that name",
    scope: "admin",
    body: newToolRequest,
    output: toolShape,
    run: async ({ runtime, body }) => shownStoredTool(await runtime.tools.upsert(newToolOf(body))),
  }),
  route({
    method: "put",
    path: "/tools",
    summary: "Create a tool, or change the one of that name",
    scope: "admin",
    body: newToolRequest,
    output: toolShape,
    run: async ({ runtime, body }) => shownStoredTool(await runtime.tools.upsert(newToolOf(body))),
  }),
  route({
    method: "get",
    path: "/tools/count",
    summary: "Count the tools",
    scope: "read",
    query: z.object({ ...toolFilters, exclude_letta_tools: queryTexts.optional() }),
    output: z.int(),
    run: async ({ runtime, query }) => (await filteredTools(runtime, query)).length,
  }),
  route({
    method: "post",
    path: "/tools/add-base-tools",
    summary: "List the tools that this server brings; they are always there",
    scope: "admin",
    output: z.array(toolShape),
    run: ({ runtime }) => filteredTools(runtime, { return_only_letta_tools: true }),
  }),
  route({
    method: "post",
    path: "/tools/search",
    summary: "Search tools by the words in their names and descriptions",
    scope: "read",
    body: searchRequest,
    output: z.array(z.looseObject({ tool: toolShape })),
    run: ({ runtime, body }) => searchTools(runtime, body),
  }),
  route({
    method: "get",
    path: "/tools/:tool",
    summary: "Get a tool",
    scope: "read",
    params: toolPath,
    output: toolShape,
    run: async ({ runtime, params }) => shown(await toolById(runtime, params.tool)),
  }),
  route({
    method: "patch",
    path: "/tools/:tool",
    summary: "Change a tool",
    scope: "admin",
    params: toolPath,
    body: toolChangeRequest,
    output: toolShape,
    run: async ({ runtime, params, body }) => {
      const tool = stored(await toolById(runtime, params.tool));
      return shownStoredTool(await runtime.tools.update(tool.id, toolChangeOf(body, tool)));
    },
  }),
  route({
    method: "delete",
    path: "/tools/:tool",
    summary: "Delete a tool, also from the agents that have it",
    scope: "admin",
    params: toolPath,
    output: z.null(),
    run: async ({ runtime, params }) => {
      await runtime.tools.delete(stored(await toolById(runtime, params.tool)).id);
      return null;
    },
  }),
];

function shown(found: FoundTool) {
  if (found.kind === "stored") return shownStoredTool(found.tool);
  return found.kind === "built-in" ? shownBuiltInTool(found.tool) : shownAbsentTool(found.tool);
}

/** Throws Fault for a tool that has no row. */
function stored(found: FoundTool) {
  if (found.kind === "stored") return found.tool;
  throw invalidArgument("tool", `${found.tool.name} is a tool of the server: it can be neither changed nor deleted.`);
}
