// SQL and rows of modules and revisions. A user sees two kinds of modules of an agent: the agent's own, which its owner holds,
// and those that the user holds.
// Invariant: modules that a user may not change are marked read-only, so that no commit is needed to find out.
import { getTableColumns } from "drizzle-orm";
import { recordColumns } from "../own-rows.ts";
import type { ModuleRecord, NewModule } from "../port/records.ts";
import { agentModules, modules, revisions } from "../schema.ts";
import { idsIn } from "../stored-values.ts";

/** SQL that joins to the grant `g` of user $1 the visible holders of modules, as `h`, and their modules, as `m`. */
const heldByGrant = `
join agent_modules h on h.agent_id = g.agent_id
  and (h.user_id = $1 or (h.user_id = g.owner_id and h.scope = 'agent' and g.is_usable))
join modules m on m.user_id = h.owner_id and m.id = h.module_id`;

/** SQL: whether $1 may only read the module `m` of the holding `h` by the grant `g`. */
const isReadOnly = `m.read_only or not g.is_usable or (h.scope = 'agent' and g.owner_id <> $1)
    or (h.owner_id <> h.user_id and not may_edit_module(m.user_id, m.id))`;

/** SQL: the modules of the agent with this id (an SQL expression) that user $1 sees, in their order. */
export function modulesOf(agent: string): string {
  return `
select m.id, m.user_id as "ownerId", h.label, h.scope, m.description, m.value, m.max_length as "limit", m.revision, m.version,
  case when h.owner_id = h.user_id then m.trust else 'external' end as trust,
  case when h.owner_id = h.user_id then m.line_trust end as "lineTrust",
  h.user_id as "holderId",
  ${isReadOnly} as "readOnly"
from grants g ${heldByGrant}
where g.user_id = $1 and g.agent_id = ${agent}
order by h.position, h.label`;
}

/** $1 user, $2 agent. For an agent that the user may no longer use, only the user's own modules, read-only. */
export const visibleModules = modulesOf("$2::uuid");

/** A row of `modulesOf`, with the user who holds the module. */
export interface ModuleRow extends ModuleRecord {
  readonly holderId: string;
}

export function moduleOfRow({ holderId: _holder, ...module }: ModuleRow): ModuleRecord {
  return module;
}

/**
 * $1 user, $2 agents. The modules of several agents that the user sees, in their order. A module has no tags and no metadata
 * unless it is the user's, or shared with the user.
 */
export const modulesOfAgents = `
select g.agent_id as "agentId", m.id, h.label, m.description, m.value, m.max_length as limit,
  case when u.is_usable then m.read_only else ${isReadOnly} end as "readOnly",
  (case when u.is_usable then m.tags else '[]' end)::json as tags,
  (case when u.is_usable then m.metadata else '{}' end)::json as metadata
from grants g ${heldByGrant}
cross join lateral (
  select m.user_id = $1 or exists (
    select from module_grants s where s.user_id = $1 and s.owner_id = m.user_id and s.module_id = m.id and s.is_accepted
  ) as is_usable
) u
where g.user_id = $1 and g.agent_id in (${idsIn("$2")})
order by g.agent_id, h.position, h.label`;

/** Returns a new module in the form that `createModules` takes. */
export function moduleRow(module: NewModule, position: number) {
  return { ...module, position, trust: "user" };
}

const { userId: _owner, ...ofRevision } = getTableColumns(revisions);

/** The columns of a revision, with its module's label from `agent_modules` or from `modules`. */
export const labelledRevision = { ...ofRevision, label: agentModules.label };
export const revisionOfModule = { ...ofRevision, label: modules.label };

/** SQL: the columns of `revisionOfModule`, of the revision `r` and its module `m`. */
export const revisionColumns = `${recordColumns(revisions, "r")}, m.label`;
