// Routes of `/api` about an agent's tools, each of which calls several operations.
import * as z from "zod";
import { agentToolsFields } from "../../../runtime/stored-tools/contract.ts";
import { route, type Route } from "../route.ts";
import { recordShape } from "./form-shapes.ts";
import { agentPath } from "./parameters.ts";

export const toolRoutes = [
  route({
    method: "get",
    path: "/agents/:agent/tools",
    summary: "List the tools of an agent",
    scope: "read",
    params: agentPath,
    output: recordShape(agentToolsFields),
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
    params: agentPath.extend({ tool: z.string().describe("The name or the id of a stored tool.") }),
    body: z.strictObject({ requiresApproval: z.boolean().nullable().optional() }),
    output: z.strictObject({ isChanged: z.boolean() }),
    run: async ({ runtime, params: { agent, tool }, body: { requiresApproval } }) => {
      const isAttached = await runtime.tools.attach(agent, tool);
      if (requiresApproval !== undefined) await runtime.tools.setApproval(agent, tool, requiresApproval);
      return { isChanged: isAttached || requiresApproval !== undefined };
    },
  }),
] as const satisfies readonly Route[];
