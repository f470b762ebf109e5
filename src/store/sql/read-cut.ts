// Where the window of a conversation begins: at the newest compaction whose last message is still on the thread.
// Invariant: a conversation without one yields a row too, of nulls; an unknown one yields none.

/**
 * $1 user, $2 conversation. Walks the compactions backwards, past those that the conversation has gone back behind, and past
 * one that would take in what is to be answered next: after going back to it, the window would be empty.
 */
export const readCut = `
select v.memory_snapshot, c.id, c.summary, c.through_id, c.through_position, c.messages, c.tokens_before, c.tokens_after, c.created_at
from conversations v
left join lateral (
  select c.*
  from compactions c
  join messages m on m.user_id = c.user_id and m.id = c.through_id and m.on_thread
  where c.user_id = v.user_id and c.conversation_id = v.id and (c.through_id <> v.leaf_id or m.role = 'assistant')
  order by c.id desc
  limit 1
) c on true
where v.user_id = $1 and v.id = $2::uuid`;
