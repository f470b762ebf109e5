// Stores the vectors of passages.
// Invariant: a vector is stored for a passage of this user and agent, or not at all.

/** $1 user, $2 agent, $3 embedder, $4 rows as JSON. Passages deleted meanwhile are passed over; a second vector replaces the first. */
export const addVectors = `
insert into passages_512 (user_id, agent_id, passage_id, embedder, embedding)
select p.user_id, p.agent_id, p.id, $3, r.vector::vector
from jsonb_to_recordset($4::text::jsonb) as r (passage_id uuid, vector text)
join passages p on p.user_id = $1 and p.agent_id = $2::uuid and p.id = r.passage_id
on conflict (user_id, passage_id, embedder) do update set embedding = excluded.embedding`;
