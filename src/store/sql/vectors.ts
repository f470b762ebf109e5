// Statements on the tables of vectors, one for each width: `passages_512` and the like.
// Invariant: a table's name is made of a whole number, so nothing of a person's stands in a statement.

/** $1 the width. Makes its tables if they are not there. */
export const ensureVectorTables = "select ensure_vector_tables($1::int)";

/** Of an archive, oldest first: $1 user, $2 archive, $3 embedder, $4 how many. */
export function passagesWithoutVector(width: number): string {
  return `
select p.id, p.content
from passages p
where p.user_id = $1 and p.archive_id = $2::uuid
  and not exists (select from passages_${width} v where v.user_id = $1 and v.passage_id = p.id and v.embedder = $3)
order by p.created_at, p.id
limit $4::int`;
}

/** $1 user, $2 archive, $3 embedder, $4 rows as JSON. Passages deleted meanwhile are passed over; a second vector replaces the first. */
export function addPassageVectors(width: number): string {
  return `
insert into passages_${width} (user_id, archive_id, passage_id, embedder, embedding)
select p.user_id, p.archive_id, p.id, $3, r.vector::vector
from jsonb_to_recordset($4::text::jsonb) as r (passage_id uuid, vector text)
join passages p on p.user_id = $1 and p.archive_id = $2::uuid and p.id = r.passage_id
on conflict (user_id, passage_id, embedder) do update set embedding = excluded.embedding`;
}

/** By archive, only those that have any: $1 user, $2 embedder. */
export function countWithoutVector(width: number): string {
  return `
select p.archive_id as "archiveId", count(*)::int as passages
from passages p
where p.user_id = $1
  and not exists (select from passages_${width} v where v.user_id = $1 and v.passage_id = p.id and v.embedder = $2)
group by p.archive_id
order by p.archive_id`;
}

/**
 * What recall can find, newest first, with what was said before it in the same sitting: $1 user, $2 agent, $3 embedder, $4 how
 * many, $5 seconds of a pause that end a sitting, $6 of how many of the newest, or null for all.
 */
export function messagesWithoutVector(width: number): string {
  return `
select m.id, m.text, m.speaker, previous.text as previous
from (
  select * from (
    select * from messages
    where user_id = $1 and agent_id = $2::uuid and search_text is not null
    order by created_at desc, id desc
    limit $6::int
  ) newest
  where not exists (select from messages_${width} v where v.user_id = $1 and v.message_id = newest.id and v.embedder = $3)
  order by created_at desc, id desc
  limit $4::int
) m
left join lateral (
  select b.text, b.created_at from messages b
  where b.user_id = $1 and b.conversation_id = m.conversation_id and b.position < m.position and b.on_thread
    and b.search_text is not null
  order by b.position desc
  limit 1
) previous on previous.created_at >= m.created_at - $5::float8 * interval '1 second'
order by m.created_at desc, m.id desc`;
}

/** As `addPassageVectors`: $1 user, $2 agent, $3 embedder, $4 rows as JSON. */
export function addMessageVectors(width: number): string {
  return `
insert into messages_${width} (user_id, agent_id, message_id, embedder, embedding)
select m.user_id, m.agent_id, m.id, $3, r.vector::vector
from jsonb_to_recordset($4::text::jsonb) as r (message_id uuid, vector text)
join messages m on m.user_id = $1 and m.agent_id = $2::uuid and m.id = r.message_id
on conflict (user_id, message_id, embedder) do update set embedding = excluded.embedding`;
}

/** By agent, only those that have any: $1 user, $2 embedder. */
export function countMessagesWithoutVector(width: number): string {
  return `
select m.agent_id as "agentId", count(*)::int as messages
from messages m
where m.user_id = $1 and m.search_text is not null
  and not exists (select from messages_${width} v where v.user_id = $1 and v.message_id = m.id and v.embedder = $2)
group by m.agent_id
order by m.agent_id`;
}
