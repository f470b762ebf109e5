// Lists a user's conversations with an agent, with the first message of each.

/**
 * $1 user, $2 agent, $3 maximum rows. The number of messages is the leaf's position, so nothing is counted; the preview
 * is the first text on the thread, after any events.
 */
export const listConversations = `
select v.id, v.agent_id, v.title, v.leaf_id, v.leaf_position, v.created_at, v.updated_at, first.preview
from conversations v
left join lateral (
  select left(m.text, 200) as preview
  from messages m
  where m.user_id = v.user_id and m.conversation_id = v.id and m.on_thread and m.role = 'user' and m.kind = 'message'
  order by m.position
  limit 1
) first on true
where v.user_id = $1 and v.agent_id = $2::uuid
order by v.updated_at desc, v.id desc
limit $3::int`;
