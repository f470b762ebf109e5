// A user's passages of an agent in the order of their ids, from one on: for reading all of them a piece at a time.

/** $1 user, $2 agent, $3 the id to begin after or null, $4 how many. */
export const passagesAfter = `
select p.id, p.content, to_jsonb(p.tags) as tags, p.kind, p.origin, p.trust, p.external, p.importance, p.created_at, p.source_id,
  null as source_name, p.place
from passages p
where p.user_id = $1 and p.agent_id = $2::uuid and ($3::uuid is null or p.id > $3::uuid)
order by p.id limit $4::int`;
