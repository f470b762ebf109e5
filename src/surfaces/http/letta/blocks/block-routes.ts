// Defines the routes of `/v1` for all blocks and for the blocks of an agent.
// Invariant: a filter that the runtime does not have is applied here to all blocks, before a page of them is selected.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { Route } from "../../route.ts";
import { agentKind, agentState, includeQuery } from "../agents/agent-record.ts";
import { attachRoutes } from "../agents/attach-routes.ts";
import { on, recordRoutes } from "../letta-routes.ts";
import { pageOf, pageOfShown, pageQuery, queryFlag, queryNumber, queryTexts, rangeOf, readAll } from "../pages.ts";
import type { Module } from "../runtime-records.ts";
import { each, given, text } from "../wire-record.ts";
import {
  blockChange,
  blockKind,
  blockOf,
  blockRecord,
  blocksOf,
  changeBlock,
  moduleOf,
  newBlock,
} from "./block-record.ts";

const blocksQuery = pageQuery("block").extend({
  ...each(text.optional(), "label", "label_search", "description_search", "value_search"),
  tags: queryTexts.optional(),
  match_all_tags: queryFlag.optional(),
  templates_only: queryFlag.optional(),
  // No block of this server has one of these fields, so a filter by such a field matches nothing.
  ...each(text.optional(), "identity_id", "name", "project_id"),
  identifier_keys: queryTexts.optional(),
  connected_to_agents_count_eq: queryTexts.optional(),
  ...each(queryNumber.optional(), "connected_to_agents_count_gt", "connected_to_agents_count_lt"),
});

type BlocksQuery = z.output<typeof blocksQuery>;

const block = recordRoutes("/blocks", blockKind);

const ofAgent = "/agents/:agent/core-memory";

export const blockRoutes: readonly Route[] = [
  block.list({ query: blocksQuery, run: ({ runtime, query }) => listBlocks(runtime, query) }),
  block.create({
    body: newBlock,
    run: ({ runtime, body }) =>
      runtime.modules.create({ ...moduleOf(body), ...given({ tags: body.tags, metadata: body.metadata }) }),
  }),
  block.count({ run: async ({ runtime }) => (await allModules(runtime)).length }),
  block.get({ run: ({ runtime }, id) => runtime.modules.find(id) }),
  block.change({ scope: "chat", body: blockChange, run: ({ runtime, body }, id) => changeBlock(runtime, id, body) }),
  block.remove({
    summary: "Delete a block, also from the agents that have it",
    run: ({ runtime }, id) => runtime.modules.delete(id),
  }),
  on("get /blocks/:block/agents", "read", "List the agents that have a block", {
    query: pageQuery("agent").extend(includeQuery),
    output: z.array(agentKind.shape),
    run: async (call) => {
      const { runtime, params, query } = call;
      const holders = new Set((await runtime.modules.holders(params.block)).map(({ agentId }) => agentId));
      const records = (await runtime.agents.list({ order: "oldest" })).filter(({ id }) => holders.has(id));
      return agentKind.show(pageOf(records, query), call, false);
    },
  }),
  on(`get ${ofAgent}`, "read", "Get the core memory of an agent", {
    output: z.looseObject({ blocks: z.array(blockRecord.shape) }),
    run: async ({ runtime, params }) => (await agentState(runtime, params.agent)).memory,
  }),
  on(`get ${ofAgent}/blocks`, "read", "List the blocks of an agent", {
    query: pageQuery("block"),
    output: z.array(blockRecord.shape),
    run: async ({ runtime, params, query }) => pageOfShown(await blocksOf(runtime, params.agent), query),
  }),
  on(`get ${ofAgent}/blocks/:label`, "read", "Get a block of an agent", {
    output: blockRecord.shape,
    run: ({ runtime, params }) => blockOf(runtime, params.agent, params.label),
  }),
  on(`patch ${ofAgent}/blocks/:label`, "chat", "Change a block of an agent", {
    body: blockChange,
    output: blockRecord.shape,
    run: async ({ runtime, params, body }) => {
      const { id } = await blockOf(runtime, params.agent, params.label);
      return blockRecord.show(await changeBlock(runtime, id.replace(/^block-/u, ""), body));
    },
  }),
  ...attachRoutes({
    word: "core-memory/blocks",
    name: "block",
    label: "a block",
    detached: "; the block stays",
    isShown: true,
    change: ({ modules }, { agent, id, isWanted }) =>
      isWanted ? modules.attach(agent, id) : modules.detach(agent, id),
  }),
];

type Runtime = Pick<UserRuntime, "modules">;
type RuntimeFilter = Pick<NonNullable<Parameters<Runtime["modules"]["list"]>[0]>, "label" | "tags">;

function allModules({ modules }: Runtime, filter: RuntimeFilter = {}): Promise<readonly Module[]> {
  return readAll((range) => modules.list({ ...filter, ...range }));
}

async function listBlocks(runtime: Runtime, query: BlocksQuery): Promise<readonly Module[]> {
  const ofRuntime = given({ label: query.label, tags: query.tags });
  const range = rangeOf(query);
  const { identity_id: identity, identifier_keys: keys, name, project_id: project } = query;
  const isUnmet = [identity, keys, name, project].some((wanted) => wanted !== undefined);
  if (range === null || isUnmet) return [];
  if (!isFilteredHere(query)) return runtime.modules.list({ ...ofRuntime, ...range });
  return pageOf(await keptOf(runtime, await allModules(runtime, ofRuntime), query), query);
}

function isFilteredHere(query: BlocksQuery): boolean {
  const ofRuntime = ["order", "limit", "before", "after", "ascending", "label", "tags"];
  return Object.entries(query).some(([name, value]) => {
    return !ofRuntime.includes(name) && value !== undefined && value !== false;
  });
}

async function keptOf(runtime: Runtime, all: readonly Module[], query: BlocksQuery): Promise<readonly Module[]> {
  const { match_all_tags: needsAll, tags = [] } = query;
  const contains = (value: string | null, part = ""): boolean =>
    (value ?? "").toLowerCase().includes(part.toLowerCase());
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
  const { connected_to_agents_count_eq: equal, connected_to_agents_count_gt: above = -1 } = query;
  const { connected_to_agents_count_lt: below = Number.POSITIVE_INFINITY } = query;
  if (equal === undefined && above === -1 && below === Number.POSITIVE_INFINITY) return kept;
  const counts = await Promise.all(kept.map(async ({ id }) => (await modules.holders(id)).length));
  return kept.filter((_module, at) => {
    const count = counts[at] ?? 0;
    return count > above && count < below && (equal === undefined || equal.includes(String(count)));
  });
}
