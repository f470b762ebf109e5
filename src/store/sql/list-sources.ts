// Lists sources with their contents and the agents that search them.

/** $1 user; $2 a name and $3 an id, of which one must match, or null for all. */
export const listSources = `
select s.id, s.name, s.description, s.metadata, s.extensions, s.created_at, coalesce(f.files, 0)::int as files, coalesce(f.failed, 0)::int as failed,
  coalesce(f.bytes, 0)::float8 as bytes, p.passages, f.loaded_at,
  g.names as agents, g.ids as "agentIds"
from sources s
left join lateral (
  select coalesce(jsonb_agg(n.name order by n.name, n.id), '[]') as names,
    coalesce(jsonb_agg(n.id order by n.name, n.id), '[]') as ids
  from (
    select a.id, case when a.user_id = $1 then a.name else a.user_id || '/' || a.name end as name
    from agent_sources t
    join grants u on u.user_id = t.user_id and u.agent_id = t.agent_id and u.is_usable
    join agents a on a.user_id = u.owner_id and a.id = u.agent_id
    where t.user_id = s.user_id and t.source_id = s.id
  ) n
) g on true
left join lateral (
  select count(*) as files, count(*) filter (where status = 'failed') as failed, sum(size) as bytes,
    max(loaded_at) filter (where status = 'loaded') as loaded_at
  from source_files where user_id = s.user_id and source_id = s.id
) f on true
cross join lateral (
  select count(*)::int as passages from passages where user_id = s.user_id and archive_id = s.id
) p
where s.user_id = $1 and ($2::text is null or s.name = $2 or s.id = $3::uuid)
order by s.name = $2 desc, s.name, s.id`;
