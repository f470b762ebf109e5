// Lists of agents with Letta's filters.
// Invariant: a filter that the runtime does not have is applied to all agents, before the page is cut.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { creationOrder, pageOf, pageQuery, queryFlag, queryTexts, rangeOf } from "../page-query.ts";
import { given } from "../wire-values.ts";
import { notesOf } from "./agent-notes.ts";
import type { AgentRecord } from "./agent-state.ts";
import { includeQuery } from "./relations.ts";
import { unserved } from "../unserved.ts";

export const agentsQuery = pageQuery("agent").extend(includeQuery.shape).extend({
  name: z.string().optional(),
  tags: queryTexts.optional(),
  match_all_tags: queryFlag.optional(),
  query_text: z.string().optional(),
  identity_id: z.string().optional(),
  identifier_keys: queryTexts.optional(),
  created_by_id: unserved,
  last_stop_reason: unserved,
  sort_by: creationOrder,
  project_id: z.string().optional(),
  template_id: z.string().optional(),
  base_template_id: z.string().optional(),
});

type AgentsQuery = z.output<typeof agentsQuery>;

export async function listAgents(
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

/** Returns the ids of the identities of which an agent must have one; null if the query asks for none. */
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

/** Returns which agents the filters keep that the runtime does not have; null if there are none. */
function keeps(
  { name, project_id: project, template_id: template, base_template_id: base }: AgentsQuery,
  identities: readonly string[] | null,
): ((agent: AgentRecord) => boolean) | null {
  const wanted = { project_id: project, template_id: template, base_template_id: base };
  const fields = Object.entries(wanted).filter(([, value]) => value !== undefined);
  if (name === undefined && identities === null && fields.length === 0) return null;
  return (agent) => {
    const notes: Readonly<Record<string, unknown>> = notesOf(agent);
    if (name !== undefined && (notes["name"] ?? agent.name) !== name) return false;
    if (identities !== null && !notesOf(agent).identity_ids?.some((id) => identities.includes(id))) return false;
    return fields.every(([field, value]) => notes[field] === value);
  };
}
