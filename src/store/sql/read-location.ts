// Reads the location of a message in its conversation's tree, and the messages around it.

/**
 * $1 user, $2 conversation, $3 the message. One row, or none. Messages above and below are found by position; `is
 * true`: as in `readPath`.
 */
export const readLocation = `
select m.id, m.parent_id, m.turn_id, m.role, m.speaker, m.kind, m.status, m.content, m.text, m.tokens, m.trust, m.created_at, m.on_thread,
  exists (
    select from messages c
    where c.user_id = m.user_id and c.conversation_id = m.conversation_id and c.position = m.position + 1
      and c.parent_id = m.id and c.role = 'tool'
  ) as is_before_result, (
    select coalesce(jsonb_agg(a.id order by a.position), '[]')
    from messages a
    where m.on_thread and a.user_id = m.user_id and a.conversation_id = m.conversation_id and a.on_thread
      and a.position > m.position
  ) as after, (
    select i.id
    from messages i
    where m.on_thread and i.user_id = m.user_id and i.conversation_id = m.conversation_id and i.on_thread
      and i.position <= m.position and i.role = 'user' and i.kind <> 'event'
    order by i.position desc
    limit 1
  ) as input_id
from messages m
where m.user_id = $1 and (m.conversation_id = $2::uuid) is true and m.id = $3::uuid`;
