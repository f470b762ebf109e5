// SQL and rows of modules and revisions. A user sees two kinds of an agent's modules: those with the scope `agent`, which
// the agent's owner holds, and those that the user holds.
// Invariant: a module that the user may not change is marked read-only, so callers know it before a write.
import { getTableColumns } from "drizzle-orm";
import { recordColumns } from "../own-rows.ts";
import type { ModuleRecord, NewModule } from "../port/records.ts";
import { agentModules, modules, revisions } from "../schema.ts";
import { idsIn } from "../stored-values.ts";

/** SQL: joins the visible rows of `agent_modules` (`h`) and their modules (`m`) to the grant `g` of user $1. */
const heldByGrant = `
join agent_modules h on h.agent_id = g.agent_id
  and (h.user_id = $1 or (h.user_id = g.owner_id and h.scope = 'agent' and g.is_usable))
join modules m on m.user_id = h.owner_id and m.id = h.module_id`;

/** SQL: whether user $1, with the grant `g`, may only read module `m`, attached by the row `h` of `agent_modules`. */
const isReadOnly = `m.read_only or not g.is_usable or (h.scope = 'agent' and g.owner_id <> $1)
    or (h.owner_id <> h.user_id and not may_edit_module(m.user_id, m.id))`;

/** SQL: the modules that user $1 sees of an agent, in their order. `agent` is an SQL expression for the agent's id. */
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

/** $1 user, $2 agent. If the user may no longer use the agent, returns only the user's own modules, as read-only. */
export const visibleModules = modulesOf("$2::uuid");

/** A row of `modulesOf`, with the user who holds the module. */
export interface ModuleRow extends ModuleRecord {
  readonly holderId: string;
}

export function moduleOfRow({ holderId: _holder, ...module }: ModuleRow): ModuleRecord {
  return module;
}

/**
 * $1 user, $2 agents. Selects the modules that the user sees of these agents, in their order. Tags and metadata are
 * empty unless the user owns the module or accepted a grant of it.
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

/** A revision's columns and its module's label, which is read from `agent_modules`. */
export const labelledRevision = { ...ofRevision, label: agentModules.label };
/** A revision's columns and its module's label, which is read from `modules`. */
export const revisionOfModule = { ...ofRevision, label: modules.label };

/** SQL: the columns of `revisionOfModule`, from the revision `r` and its module `m`. */
export const revisionColumns = `${recordColumns(revisions, "r")}, m.label`;
