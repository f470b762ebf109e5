// Routes of `/api` that change an agent by several operations, or whose whole body is one argument.
import * as z from "zod";
import { route, type Route } from "../route.ts";
import { recordShape } from "./form-shapes.ts";
import { agentFields } from "../../../runtime/agents/contract.ts";
import { agentPath, given } from "./parameters.ts";

const agentShape = recordShape(agentFields);
const object = z.record(z.string(), z.unknown());

export const agentRoutes = [
  route({
    method: "patch",
    path: "/agents/:agent",
    summary: "Change the name, the model or the details of an agent",
    scope: "admin",
    params: agentPath,
    body: z.strictObject({
      name: z.string().optional(),
      model: z.string().optional(),
      baseUrl: z.string().nullable().optional(),
      description: z.string().nullable().optional(),
      tags: z.array(z.string()).optional(),
      metadata: object.optional(),
      extensions: object.optional(),
    }),
    output: agentShape,
    run: async ({ runtime, params, body: { model, baseUrl, ...details } }) => {
      const { id, model: current } = await runtime.agents.find(params.agent);
      if (model !== undefined || baseUrl !== undefined) {
        await runtime.agents.setModel(id, model ?? current, given({ baseUrl }));
      }
      return runtime.agents.setDetails(id, given(details));
    },
  }),
  route({
    method: "patch",
    path: "/agents/:agent/settings",
    summary: "Change settings of an agent",
    scope: "admin",
    params: agentPath,
    body: object,
    output: agentShape,
    run: ({ runtime, params, body }) => runtime.agents.update(params.agent, body),
  }),
] as const satisfies readonly Route[];
