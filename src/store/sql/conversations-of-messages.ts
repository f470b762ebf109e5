// Finds the conversations that messages belong to.

/** $1 user, $2 ids of messages as JSON. No row for a message that does not exist. */
export const conversationsOfMessages = `
select m.id as message_id, c.id, c.title
from jsonb_array_elements_text($2::text::jsonb) as asked (id)
cross join lateral (
  select id, conversation_id from messages
  where user_id = $1 and id between asked.id::uuid and asked.id::uuid
  order by id limit 1
) m
join conversations c on c.user_id = $1 and c.id = m.conversation_id`;
