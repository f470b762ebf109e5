// Lists a user's passages of an agent by id, from a given one on, to read all of them in batches.

/** $1 user, $2 agent, $3 the id to start after or null, $4 maximum rows. */
export const passagesAfter = `
select p.id, p.content, to_jsonb(p.tags) as tags, p.kind, p.origin, p.trust, p.external, p.importance, p.created_at, p.source_id,
  null as source_name, p.place, p.replaced_by
from passages p
where p.user_id = $1 and p.agent_id = $2::uuid and ($3::uuid is null or p.id > $3::uuid)
order by p.id limit $4::int`;
