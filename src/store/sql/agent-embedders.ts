// Statements on the embedders of agents and their roles.
// Invariant: writers hold the user's lock, so that two runs of a re-embedding see each other's rows.

/** $1 user. */
export const lockEmbedders = "select pg_advisory_xact_lock(hashtextextended('palimpsest embedders ' || $1, 0))";

/** Lists embedders by agent: $1 user, $2 an agent or null for all. */
export const listEmbedders = `
select agent_id as "agentId", embedder, dimensions, role, since
from agent_embedders
where user_id = $1 and ($2::uuid is null or agent_id = $2::uuid)
order by agent_id, since, embedder, dimensions`;

/** Whether agents are attached to a source, and their embedders: $1 user, $2 source. */
export const embeddersOfSource = `
select a.agent_id as "agentId", e.embedder, e.dimensions, e.role
from agent_sources a
left join agent_embedders e on e.user_id = $1 and e.agent_id = a.agent_id and e.role in ('searched', 'kept')
where a.user_id = $1 and a.source_id = $2::uuid
order by e.embedder, e.dimensions`;

/** $1 user, $2 agents as JSON. */
export const embeddersOfAgents = `
select a.id as "agentId", case when a.user_id = $1 then a.name else a.user_id || '/' || a.name end as name, e.embedder, e.dimensions, e.role
from grants g
join agents a on a.user_id = g.owner_id and a.id = g.agent_id
left join agent_embedders e on e.user_id = $1 and e.agent_id = a.id
where g.user_id = $1 and g.is_usable and g.agent_id in (select jsonb_array_elements_text($2::text::jsonb)::uuid)
order by a.id`;

/**
 * Inserts an embedder, or updates one that was being dropped: $1 user, $2 agent, $3 embedder, $4 dimensions, $5 role.
 */
export const putEmbedder = `
insert into agent_embedders (user_id, agent_id, embedder, dimensions, role)
values ($1, $2::uuid, $3, $4::int, $5)
on conflict (user_id, agent_id, embedder, dimensions) do update set role = excluded.role, since = now()`;

/** $1 user, $2 agents as JSON, $3 the current role, $4 the new one. Returns the agents. */
export const changeRole = `
update agent_embedders set role = $4, since = now()
where user_id = $1 and role = $3 and agent_id in (select jsonb_array_elements_text($2::text::jsonb)::uuid)
returning agent_id as "agentId"`;

/** The agents that build an embedder: $1 user, $2 agents as JSON, $3 embedder, $4 dimensions. */
export const agentsBuilding = `
select agent_id as "agentId" from agent_embedders
where user_id = $1 and agent_id in (select jsonb_array_elements_text($2::text::jsonb)::uuid)
  and embedder = $3 and dimensions = $4::int and role = 'building'
order by agent_id`;

/** $1 user. */
export const dropped = `
select embedder, dimensions from agent_embedders where user_id = $1 and role = 'dropping' order by embedder, dimensions limit 1`;

/** $1 user, $2 embedder, $3 dimensions. */
export const forgetDropped = `
delete from agent_embedders where user_id = $1 and embedder = $2 and dimensions = $3::int and role = 'dropping'`;
