// All routes of `/v1` about what is stored: agents, blocks, tools, archives, identities, MCP servers and models.
// Invariant: a path with a fixed word comes before the one with a parameter in its place.
import * as z from "zod";
import { route, type Route } from "../route.ts";
import { agentFileRoutes } from "./agents/agent-file-routes.ts";
import { agentRoutes } from "./agents/agent-routes.ts";
import { archiveRoutes } from "./archives/archive-routes.ts";
import { blockRoutes } from "./blocks/block-routes.ts";
import { agentFolderRoutes } from "./folders/agent-folder-routes.ts";
import { folderRoutes } from "./folders/folder-routes.ts";
import { identityRoutes } from "./identities/identity-routes.ts";
import { mcpServerRoutes } from "./mcp/mcp-server-routes.ts";
import { modelRoutes } from "./models/model-routes.ts";
import { agentToolRoutes } from "./tools/agent-tool-routes.ts";
import { toolRoutes } from "./tools/tool-routes.ts";
import { queryNumber } from "./page-query.ts";
import { unserved } from "./unserved.ts";

const tagRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/tags",
    summary: "List the tags of all agents",
    scope: "read",
    query: z.object({
      query_text: z.string().optional(),
      limit: queryNumber.optional(),
      order: z.enum(["asc", "desc"]).optional(),
      order_by: z.literal("name").optional(),
      name: unserved,
      after: unserved,
      before: unserved,
    }),
    output: z.array(z.string()),
    run: async ({ runtime, query: { query_text: text = "", limit, order } }) => {
      const tags = (await runtime.agents.tags()).filter((tag) => tag.toLowerCase().includes(text.toLowerCase()));
      return (order === "desc" ? tags.toReversed() : tags).slice(0, limit);
    },
  }),
];

export const stateRoutes: readonly Route[] = [
  ...tagRoutes,
  ...modelRoutes,
  ...agentFileRoutes,
  ...agentRoutes,
  ...blockRoutes,
  ...toolRoutes,
  ...agentToolRoutes,
  ...archiveRoutes,
  ...folderRoutes,
  ...agentFolderRoutes,
  ...identityRoutes,
  ...mcpServerRoutes,
];
