// Reads one message, on any branch, with the tool results that directly follow it.
// Invariant: a result is a child of the message or of another result, so results of other branches are those of this message.
import { keyOfMessage, storedCall } from "./message-extras.ts";

/** $1 user, $2 message. The first row is the message; no row for an unknown one. */
export const findMessage = `
with recursive found as (
  select m.*, 0 as depth from messages m where m.user_id = $1 and m.id = $2::uuid
  union all
  select n.*, f.depth + 1
  from found f
  join messages n on n.user_id = $1 and n.conversation_id = f.conversation_id and n.position = f.position + 1
    and n.parent_id = f.id and n.role = 'tool'
)
select m.id, m.agent_id, m.conversation_id, m.parent_id, m.turn_id, m.role, m.speaker, m.kind, m.status, m.content, m.text,
  m.tokens, m.trust, m.created_at, (
    select coalesce(jsonb_object_agg(t.call_id, ${storedCall}), '{}')
    from tool_calls t
    where t.user_id = $1 and t.message_id = m.id
  ) as calls, ${keyOfMessage} as idempotency_key
from found m
order by m.depth, m.id`;
