// Creates an agent: its user, its row, its owner's grant and its modules.
// Invariant: the rows are written in this order. Each is a statement of its own, because the policies of grants and of
// modules look up the rows written before.
import { agentColumns } from "../agents/agent-rows.ts";

/** Creates a user's row if it does not exist. $1 user. */
export const createUser = "insert into users (user_id) values ($1) on conflict do nothing";

/**
 * Inserts an agent; returns no row if the name is taken. $1 user, $2 id, $3 name, $4 model, $5 protocol, $6 memory class, $7
 * prompt, $8 settings, $9 description, $10 tags, $11 metadata, $12 extensions.
 */
export const createAgent = `
insert into agents as a (user_id, id, name, model, protocol, memory_type, system_prompt, settings, description, tags,
  metadata, extensions)
values ($1, $2::uuid, $3, $4, $5, $6, $7, $8::text::jsonb, $9, $10, $11, $12)
on conflict (user_id, name) do nothing
returning ${agentColumns}`;

/** Creates the owner's grant. $1 user, $2 agent. */
export const createOwnGrant = "insert into grants (user_id, agent_id, owner_id) values ($1, $2::uuid, $1)";

/**
 * Creates modules that the user owns and the agent holds. Skips labels that the agent already has, because another process
 * may have added them at the same time. $1 user, $2 agent, $3 modules from `moduleRow`.
 */
export const createModules = `
with given as materialized (
  select gen_random_uuid() as id, m.*
  from jsonb_to_recordset($3::text::jsonb) as m (position int, label text, scope text, description text, value text,
    "limit" int, "readOnly" boolean, trust text)
), held as (
  insert into agent_modules (user_id, agent_id, label, owner_id, module_id, position, scope)
  select $1, $2::uuid, label, $1, id, position, scope from given
  on conflict (user_id, agent_id, label) do nothing
  returning module_id
)
insert into modules (user_id, id, label, description, value, max_length, read_only, trust)
select $1, id, label, description, value, "limit", "readOnly", trust from given
where id in (select module_id from held)`;

/** Counts the modules of an agent. $1 user, $2 agent. */
export const countHeld = "select count(*)::int as held from agent_modules where user_id = $1 and agent_id = $2::uuid";

/**
 * Attaches modules in the given order after the agent's other modules, and returns the ids of those that were not attached
 * before. $1 user, $2 agent, $3 ids of modules.
 */
export const attachModules = `
insert into agent_modules (user_id, agent_id, label, owner_id, module_id, position, scope)
select $1, $2::uuid, m.label, m.user_id, m.id,
  (select coalesce(max(h.position), -1) from agent_modules h where h.user_id = $1 and h.agent_id = $2::uuid) + w.place::int, 'user'
from jsonb_array_elements_text($3::text::jsonb) with ordinality w (id, place)
cross join lateral (
  select m.user_id, m.id, m.label from modules m
  where m.id = w.id::uuid and (m.user_id = $1 or exists (
    select from module_grants g where g.user_id = $1 and g.owner_id = m.user_id and g.module_id = m.id and g.is_accepted
  ))
  order by m.user_id = $1 desc
  limit 1
) m
where not exists (
  select from agent_modules h where h.user_id = $1 and h.agent_id = $2::uuid and h.owner_id = m.user_id and h.module_id = m.id
)
returning module_id`;
