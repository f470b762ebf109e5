// Lists a user's conversations, with the first message of each.

/**
 * $1 user, $2 agent, $3 and $4 the ids of conversations that the others were used after and before; each null for all; $5
 * limit. The number of messages is the leaf's position, so nothing is counted; the preview is the first text on the thread,
 * after any events.
 */
export function listConversations(direction: "asc" | "desc"): string {
  const place = (id: string) =>
    `(select c.updated_at, c.id from conversations c where c.user_id = $1 and c.id = ${id}::uuid)`;
  return `
select v.id, v.agent_id, v.title, v.leaf_id, v.leaf_position, v.created_at, v.updated_at, first.preview
from (
  select * from conversations v
  where v.user_id = $1 and ($2::uuid is null or v.agent_id = $2::uuid)
    and ($3::uuid is null or (v.updated_at, v.id) > ${place("$3")})
    and ($4::uuid is null or (v.updated_at, v.id) < ${place("$4")})
  order by v.updated_at ${direction}, v.id ${direction}
  limit $5::int
) v
left join lateral (
  select left(m.text, 200) as preview
  from messages m
  where m.user_id = v.user_id and m.conversation_id = v.id and m.on_thread and m.role = 'user' and m.kind = 'message'
  order by m.position
  limit 1
) first on true
order by v.updated_at ${direction}, v.id ${direction}`;
}
