// Starts a turn: the input's row, its messages and the leaf, and in the same breath how the modules stand.
// Invariant: no row comes back exactly when nothing was written.
import { appendMessages } from "./append-messages.ts";

// The key is part of the compare-and-swap, so a repeated input writes nothing rather than fail on its unique key;
// the modules are read here because a turn always needs them and another query would be another round trip.
/** After $4: $5 the idempotency key, $6 the input's message. Rows: label and revision per visible module, or one of nulls. */
export const beginTurn = `${appendMessages(
  "not exists (select from inputs i where i.user_id = $1 and i.conversation_id = $2::uuid and i.idempotency_key = $5)",
)}, taken as (
  insert into inputs (user_id, agent_id, conversation_id, idempotency_key, status, message_id)
  select $1, agent_id, $2::uuid, $5, 'taken', $6::uuid from moved
)
select m.label, m.revision
from moved
join agents a on a.id = moved.agent_id
left join modules m
  on m.agent_id = a.id and m.user_id in ($1, a.user_id) and (m.user_id = $1 or m.scope = 'agent')
order by m.position, m.label`;
