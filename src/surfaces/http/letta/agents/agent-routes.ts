// Defines the routes of `/v1` for agents and for the tags of all agents.
// Invariant: a filter that the runtime does not have is applied here to all agents, before a page of them is selected.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { Route } from "../../route.ts";
import { on, recordRoutes } from "../letta-routes.ts";
import { creationOrder, pageOf, pageQuery, queryFlag, queryNumber, queryTexts, rangeOf } from "../pages.ts";
import type { AgentRecord } from "../runtime-records.ts";
import { unserved } from "../wire-fault.ts";
import { each, given, text } from "../wire-record.ts";
import { identityIdsOf, agentExtensionOf } from "./agent-extension.ts";
import { agentKind, includeQuery } from "./agent-record.ts";
import { agentChangeRequest, newAgentRequest } from "./agent-request.ts";
import { changeAgent, createAgent } from "./write-agent.ts";

const agentsQuery = pageQuery("agent").extend({
  ...includeQuery,
  ...each(text.optional(), "name", "query_text", "identity_id", "project_id", "template_id", "base_template_id"),
  ...each(queryTexts.optional(), "tags", "identifier_keys"),
  match_all_tags: queryFlag.optional(),
  ...each(unserved, "created_by_id", "last_stop_reason"),
  sort_by: creationOrder,
});

type AgentsQuery = z.output<typeof agentsQuery>;

const agent = recordRoutes("/agents", agentKind);

export const agentRoutes: readonly Route[] = [
  on("get /tags", "read", "List the tags of all agents", {
    query: z.object({
      query_text: text.optional(),
      limit: queryNumber.optional(),
      order: z.enum(["asc", "desc"]).optional(),
      order_by: z.literal("name").optional(),
      ...each(unserved, "name", "after", "before"),
    }),
    output: z.array(text),
    run: async ({ runtime, query: { query_text: part = "", limit, order } }) => {
      const tags = (await runtime.agents.tags()).filter((tag) => tag.toLowerCase().includes(part.toLowerCase()));
      return (order === "desc" ? tags.toReversed() : tags).slice(0, limit);
    },
  }),
  agent.list({ query: agentsQuery, run: ({ runtime, query }) => listAgents(runtime, query) }),
  agent.create({ body: newAgentRequest, run: ({ runtime, body }) => createAgent(runtime, body) }),
  agent.count({ run: ({ runtime }) => runtime.agents.count() }),
  agent.get({ query: z.object(includeQuery), run: ({ runtime }, id) => runtime.agents.find(id) }),
  agent.change({
    body: agentChangeRequest,
    run: ({ runtime, body: request, agentChanges }, id) => changeAgent(runtime, id, { request, agentChanges }),
  }),
  on("delete /agents/:agent", "admin", "Delete an agent with its messages and the blocks that no other agent has", {
    output: z.object({ message: text }),
    run: async ({ runtime, params: { agent: id } }) => {
      await runtime.agents.delete(id);
      return { message: `Agent id=agent-${id} successfully deleted` };
    },
  }),
];

async function listAgents(
  { agents, identities }: Pick<UserRuntime, "agents" | "identities">,
  query: AgentsQuery,
): Promise<readonly AgentRecord[]> {
  const range = rangeOf(query);
  if (range === null) return [];
  const ofRuntime = given({ text: query.query_text, tags: query.tags, matchAllTags: query.match_all_tags });
  const kept = keeps(query, await identitiesOf(identities, query));
  if (kept === null) return agents.list({ ...ofRuntime, ...range });
  return pageOf((await agents.list(ofRuntime)).filter(kept), query);
}

/** Returns the ids of the identities by which the query filters: an agent must have one of them. Null without such a filter. */
async function identitiesOf(
  identities: UserRuntime["identities"],
  { identity_id: id, identifier_keys: keys }: AgentsQuery,
): Promise<readonly string[] | null> {
  const named = id === undefined ? null : [id.replace(/^identity-/u, "")];
  if (keys === undefined) return named;
  const found = await Promise.all(keys.map((key) => identities.list({ key, limit: 1 })));
  const ids = found.flat().map((identity) => identity.id);
  return named === null ? ids : named.filter((one) => ids.includes(one));
}

/** Returns a predicate for the query's filters that the runtime does not have; null if the query has no such filter. */
function keeps(
  { name, project_id: project, template_id: template, base_template_id: base }: AgentsQuery,
  identities: readonly string[] | null,
): ((record: AgentRecord) => boolean) | null {
  const fields = Object.entries(given({ project_id: project, template_id: template, base_template_id: base }));
  if (name === undefined && identities === null && fields.length === 0) return null;
  return (record) => {
    const extension: Readonly<Record<string, unknown>> = agentExtensionOf(record);
    if (name !== undefined && (extension["name"] ?? record.name) !== name) return false;
    if (identities !== null && !identityIdsOf(record).some((id) => identities.includes(id))) return false;
    return fields.every(([field, value]) => extension[field] === value);
  };
}
