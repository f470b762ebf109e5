// Routes of `/v1` about blocks, on their own and of an agent.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { agentShape, agentState, agentStates } from "../agents/agent-state.ts";
import { includeQuery, relationsOf } from "../agents/relations.ts";
import { agentPath, idOf } from "../ids.ts";
import { pageOf, pageOfShown, pageQuery } from "../page-query.ts";
import { route, type Route } from "../../route.ts";
import { given } from "../wire-values.ts";
import { blockOf, blocksOf, changeBlock } from "./agent-blocks.ts";
import { allModules, blocksQuery, listBlocks } from "./block-lists.ts";
import { blockChange, blockShape, moduleOf, newBlock, shownBlock } from "./shown-block.ts";

const blockPath = z.object({ block: idOf("block") });
const labelPath = agentPath.extend({ label: z.string() });
const attachPath = agentPath.extend({ block: idOf("block") });

const ownRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/blocks",
    summary: "List blocks",
    scope: "read",
    query: blocksQuery,
    output: z.array(blockShape),
    run: async ({ runtime, query }) => (await listBlocks(runtime, query)).map(shownBlock),
  }),
  route({
    method: "post",
    path: "/blocks",
    summary: "Create a block",
    scope: "admin",
    body: newBlock,
    output: blockShape,
    run: async ({ runtime, body }) => {
      const { tags, metadata } = body;
      return shownBlock(await runtime.modules.create({ ...moduleOf(body), ...given({ tags, metadata }) }));
    },
  }),
  route({
    method: "get",
    path: "/blocks/count",
    summary: "Count the blocks",
    scope: "read",
    output: z.int(),
    run: async ({ runtime }) => (await allModules(runtime)).length,
  }),
  route({
    method: "get",
    path: "/blocks/:block",
    summary: "Get a block",
    scope: "read",
    params: blockPath,
    output: blockShape,
    run: async ({ runtime, params }) => shownBlock(await runtime.modules.find(params.block)),
  }),
  route({
    method: "patch",
    path: "/blocks/:block",
    summary: "Change a block",
    scope: "chat",
    params: blockPath,
    body: blockChange,
    output: blockShape,
    run: async ({ runtime, params, body }) => shownBlock(await changeBlock(runtime, params.block, body)),
  }),
  route({
    method: "delete",
    path: "/blocks/:block",
    summary: "Delete a block, also from the agents that have it",
    scope: "admin",
    params: blockPath,
    output: z.null(),
    run: async ({ runtime, params }) => {
      await runtime.modules.delete(params.block);
      return null;
    },
  }),
  route({
    method: "get",
    path: "/blocks/:block/agents",
    summary: "List the agents that have a block",
    scope: "read",
    params: blockPath,
    query: pageQuery("agent").extend(includeQuery.shape),
    output: z.array(agentShape),
    run: async ({ runtime, params, query, headers }) => {
      const holders = new Set((await runtime.modules.holders(params.block)).map(({ agentId }) => agentId));
      const records = (await runtime.agents.list({ order: "oldest" })).filter(({ id }) => holders.has(id));
      return agentStates(runtime, pageOf(records, query), relationsOf(query, headers));
    },
  }),
];

const ofAgentRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/agents/:agent/core-memory",
    summary: "Get the core memory of an agent",
    scope: "read",
    params: agentPath,
    output: z.looseObject({ blocks: z.array(blockShape) }),
    run: async ({ runtime, params }) => (await stateOf(runtime, params.agent)).memory,
  }),
  route({
    method: "get",
    path: "/agents/:agent/core-memory/blocks",
    summary: "List the blocks of an agent",
    scope: "read",
    params: agentPath,
    query: pageQuery("block"),
    output: z.array(blockShape),
    run: async ({ runtime, params, query }) => pageOfShown(await blocksOf(runtime, params.agent), query),
  }),
  route({
    method: "get",
    path: "/agents/:agent/core-memory/blocks/:label",
    summary: "Get a block of an agent",
    scope: "read",
    params: labelPath,
    output: blockShape,
    run: ({ runtime, params }) => blockOf(runtime, params.agent, params.label),
  }),
  route({
    method: "patch",
    path: "/agents/:agent/core-memory/blocks/:label",
    summary: "Change a block of an agent",
    scope: "chat",
    params: labelPath,
    body: blockChange,
    output: blockShape,
    run: async ({ runtime, params, body }) => {
      const { id } = await blockOf(runtime, params.agent, params.label);
      return shownBlock(await changeBlock(runtime, id.replace(/^block-/u, ""), body));
    },
  }),
  route({
    method: "patch",
    path: "/agents/:agent/core-memory/blocks/attach/:block",
    summary: "Attach a block to an agent",
    scope: "admin",
    params: attachPath,
    output: agentShape,
    run: async ({ runtime, params: { agent, block } }) => {
      await runtime.modules.attach(agent, block);
      return stateOf(runtime, agent);
    },
  }),
  route({
    method: "patch",
    path: "/agents/:agent/core-memory/blocks/detach/:block",
    summary: "Detach a block from an agent; the block stays",
    scope: "admin",
    params: attachPath,
    output: agentShape,
    run: async ({ runtime, params: { agent, block } }) => {
      await runtime.modules.detach(agent, block);
      return stateOf(runtime, agent);
    },
  }),
];

async function stateOf(runtime: UserRuntime, agent: string) {
  return agentState(runtime, await runtime.agents.find(agent));
}

export const blockRoutes: readonly Route[] = [...ownRoutes, ...ofAgentRoutes];
