// Routes of `/v1` about agents themselves.
import * as z from "zod";
import { route, type Route } from "../../route.ts";
import { agentPath } from "../ids.ts";
import { agentsQuery, listAgents } from "./agent-lists.ts";
import { agentChangeRequest, newAgentRequest } from "./agent-request.ts";
import { agentShape, agentState, agentStates } from "./agent-state.ts";
import { changeAgent } from "./change-agent.ts";
import { createAgent } from "./create-agent.ts";
import { includeQuery, relationsOf } from "./relations.ts";

export const agentRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/agents",
    summary: "List agents",
    scope: "read",
    query: agentsQuery,
    output: z.array(agentShape),
    run: async ({ runtime, query, headers }) =>
      agentStates(runtime, await listAgents(runtime, query), relationsOf(query, headers)),
  }),
  route({
    method: "post",
    path: "/agents",
    summary: "Create an agent",
    scope: "admin",
    body: newAgentRequest,
    output: agentShape,
    run: async ({ runtime, body }) => agentState(runtime, await createAgent(runtime, body)),
  }),
  route({
    method: "get",
    path: "/agents/count",
    summary: "Count the agents",
    scope: "read",
    output: z.int(),
    run: ({ runtime }) => runtime.agents.count(),
  }),
  route({
    method: "get",
    path: "/agents/:agent",
    summary: "Get an agent",
    scope: "read",
    params: agentPath,
    query: includeQuery,
    output: agentShape,
    run: async ({ runtime, params, query, headers }) =>
      agentState(runtime, await runtime.agents.find(params.agent), relationsOf(query, headers)),
  }),
  route({
    method: "patch",
    path: "/agents/:agent",
    summary: "Change an agent",
    scope: "admin",
    params: agentPath,
    body: agentChangeRequest,
    output: agentShape,
    run: async ({ runtime, params, body }) => agentState(runtime, await changeAgent(runtime, params.agent, body)),
  }),
  route({
    method: "delete",
    path: "/agents/:agent",
    summary: "Delete an agent with its messages and the blocks that no other agent has",
    scope: "admin",
    params: agentPath,
    output: z.object({ message: z.string() }),
    run: async ({ runtime, params: { agent } }) => {
      await runtime.agents.delete(agent);
      return { message: `Agent id=agent-${agent} successfully deleted` };
    },
  }),
];
