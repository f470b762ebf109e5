// Finds the messages around messages on their threads.
// Invariant: a message on no thread has no neighbours, and costs nothing.

/**
 * $1 user, $2 ids of messages as JSON, $3 maximum on each side. Returns rows in the order of the thread; `hit_id` is the id of
 * the given message.
 */
export const neighboursOfMessages = `
select m.id as hit_id, n.position < m.position as is_before, n.id, n.parent_id, n.turn_id, n.role, n.speaker, n.kind, n.status,
  n.content, n.text, n.tokens, n.trust, n.created_at
from jsonb_array_elements_text($2::text::jsonb) as asked (id)
cross join lateral (
  select * from messages
  where user_id = $1 and id between asked.id::uuid and asked.id::uuid
  order by id limit 1
) m
cross join lateral (
  (select * from messages b
    where b.user_id = $1 and b.conversation_id = m.conversation_id and b.position < m.position and b.on_thread
      and b.search_text is not null
    order by b.position desc limit $3::int)
  union all
  (select * from messages a
    where a.user_id = $1 and a.conversation_id = m.conversation_id and a.position > m.position and a.on_thread
      and a.search_text is not null
    order by a.position limit $3::int)
) n
where m.on_thread
order by m.id, n.position`;
