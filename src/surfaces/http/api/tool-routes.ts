// Routes of `/api` about the tools that agents have: stored ones, and those of the runtime and the program.
import * as z from "zod";
import { route, type Route } from "../route.ts";
import { agentPath, given, listQuery, queryTexts } from "./parameters.ts";
import { agentToolsShape, builtInToolShape, changedShape, storedToolShape } from "./record-shapes.ts";

const toolPath = z.strictObject({ tool: z.string().describe("The name or the id of a stored tool.") });

const toolFields = z.strictObject({
  name: z.string().optional(),
  description: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  source: z.string().nullable().optional(),
  resultLimit: z.int().nullable().optional(),
  requiresApproval: z.boolean().optional(),
  tags: z.array(z.string()).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

export const toolRoutes = [
  route({
    method: "get",
    path: "/tools",
    summary: "List the stored tools",
    scope: "read",
    query: listQuery.extend({ text: z.string().optional(), tags: queryTexts.optional() }),
    output: z.array(storedToolShape),
    run: ({ runtime, query }) => runtime.tools.list(given(query)),
  }),
  route({
    method: "post",
    path: "/tools",
    summary: "Store a tool that the client runs, or one with Python source code for the sandbox",
    scope: "admin",
    body: toolFields.extend({ id: z.uuid().optional() }),
    status: 201,
    output: storedToolShape,
    run: ({ runtime, body }) => runtime.tools.create(given(body)),
  }),
  route({
    method: "get",
    path: "/built-in-tools",
    summary: "List the tools of the runtime and of the program",
    scope: "read",
    output: z.array(builtInToolShape),
    run: ({ runtime }) => runtime.tools.builtIn(),
  }),
  route({
    method: "get",
    path: "/tools/:tool",
    summary: "Get a stored tool",
    scope: "read",
    params: toolPath,
    output: storedToolShape,
    run: ({ runtime, params }) => runtime.tools.find(params.tool),
  }),
  route({
    method: "patch",
    path: "/tools/:tool",
    summary: "Change a stored tool",
    scope: "admin",
    params: toolPath,
    body: toolFields,
    output: storedToolShape,
    run: ({ runtime, params, body }) => runtime.tools.update(params.tool, given(body)),
  }),
  route({
    method: "delete",
    path: "/tools/:tool",
    summary: "Delete a stored tool for every agent",
    scope: "admin",
    params: toolPath,
    output: null,
    run: ({ runtime, params }) => runtime.tools.delete(params.tool),
  }),
  route({
    method: "get",
    path: "/agents/:agent/tools",
    summary: "List the tools of an agent",
    scope: "read",
    params: agentPath,
    output: agentToolsShape,
    run: async ({ runtime, params: { agent } }) => {
      const [builtIn, stored] = await Promise.all([runtime.tools.builtIn(agent), runtime.tools.ofAgent(agent)]);
      return { builtIn, stored };
    },
  }),
  route({
    method: "put",
    path: "/agents/:agent/tools/:tool",
    summary: "Attach a stored tool to an agent, and say whether its calls wait for approval",
    scope: "admin",
    params: agentPath.extend(toolPath.shape),
    body: z.strictObject({ requiresApproval: z.boolean().nullable().optional() }),
    output: changedShape,
    run: async ({ runtime, params: { agent, tool }, body: { requiresApproval } }) => {
      const isAttached = await runtime.tools.attach(agent, tool);
      if (requiresApproval !== undefined) await runtime.tools.setApproval(agent, tool, requiresApproval);
      return { isChanged: isAttached || requiresApproval !== undefined };
    },
  }),
  route({
    method: "delete",
    path: "/agents/:agent/tools/:tool",
    summary: "Detach a stored tool from an agent",
    scope: "admin",
    params: agentPath.extend(toolPath.shape),
    output: changedShape,
    run: async ({ runtime, params: { agent, tool } }) => ({ isChanged: await runtime.tools.detach(agent, tool) }),
  }),
] as const satisfies readonly Route[];
