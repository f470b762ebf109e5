// Passages that an embedder has not been asked about yet, oldest first.

/** $1 user, $2 agent, $3 embedder, $4 how many. */
export const passagesWithoutVector = `
select p.id, p.content
from passages p
where p.user_id = $1 and p.agent_id = $2::uuid
  and not exists (select from passages_512 v where v.user_id = $1 and v.passage_id = p.id and v.embedder = $3)
order by p.created_at, p.id
limit $4::int`;
