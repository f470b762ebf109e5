// Lists of agents with Letta's filters.
// Invariant: a filter that the runtime does not have is applied to all agents, before the page is cut.
import * as z from "zod";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import { pageOf, pageQuery, queryFlag, queryTexts, rangeOf } from "../page-query.ts";
import { given } from "../wire-values.ts";
import { notesOf } from "./agent-notes.ts";
import type { AgentRecord } from "./agent-state.ts";
import { includeQuery } from "./relations.ts";

export const agentsQuery = pageQuery("agent").extend(includeQuery.shape).extend({
  name: z.string().optional(),
  tags: queryTexts.optional(),
  match_all_tags: queryFlag.optional(),
  query_text: z.string().optional(),
  identity_id: z.string().optional(),
  project_id: z.string().optional(),
  template_id: z.string().optional(),
  base_template_id: z.string().optional(),
});

type AgentsQuery = z.output<typeof agentsQuery>;

export async function listAgents(
  { agents }: Pick<UserRuntime, "agents">,
  query: AgentsQuery,
): Promise<readonly AgentRecord[]> {
  const range = rangeOf(query);
  if (range === null) return [];
  const ofRuntime = given({ text: query.query_text, tags: query.tags, matchAllTags: query.match_all_tags });
  const kept = keeps(query);
  if (kept === null) return agents.list({ ...ofRuntime, ...range });
  return pageOf((await agents.list(ofRuntime)).filter(kept), query);
}

/** Returns which agents the filters keep that the runtime does not have; null if there are none. */
function keeps({
  name,
  identity_id: identity,
  project_id: project,
  template_id: template,
  base_template_id: base,
}: AgentsQuery): ((agent: AgentRecord) => boolean) | null {
  const wanted = { project_id: project, template_id: template, base_template_id: base };
  const fields = Object.entries(wanted).filter(([, value]) => value !== undefined);
  if (name === undefined && identity === undefined && fields.length === 0) return null;
  const identityId = identity?.replace(/^identity-/u, "");
  return (agent) => {
    const notes: Readonly<Record<string, unknown>> = notesOf(agent);
    if (name !== undefined && (notes["name"] ?? agent.name) !== name) return false;
    if (identityId !== undefined && !(notesOf(agent).identity_ids ?? []).includes(identityId)) return false;
    return fields.every(([field, value]) => notes[field] === value);
  };
}
