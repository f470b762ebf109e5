// Reads the messages of a thread after a position, or between two.

/**
 * $1 user, $2 conversation, $3 the position, $4 the last one or null. An index range instead of a walk over parents:
 * messages `on_thread` have unique positions, so the cost is that of the window, whatever the conversation's length.
 */
export const readThread = `
select id, parent_id, turn_id, role, speaker, kind, status, content, text, tokens, trust, created_at
from messages
where user_id = $1 and conversation_id = $2::uuid and position > $3::int
  and ($4::int is null or position <= $4::int) and on_thread
order by position`;
