// Reads the window of a conversation: the compactions that replace its first messages, and the messages after them.
import { compactionChain } from "./compaction-chain.ts";

/**
 * SQL: columns of a conversation `v` of user $1 whose `chain` is a CTE: the window's version, the snapshot, and its
 * compactions and messages as JSON, in their order. The messages are an index range instead of a walk over parents:
 * messages `on_thread` have unique positions, so the cost is that of the window, whatever the conversation's length.
 */
export const windowColumns = `v.window_version, v.memory_snapshot,
  (select coalesce(json_agg(c order by c.from_position), '[]') from chain c) as compactions,
  (
    select coalesce(json_agg(m order by m.position), '[]')
    from (
      select id, parent_id, turn_id, role, speaker, kind, status, content, text, tokens, trust, created_at, stated, position
      from messages
      where user_id = $1 and conversation_id = v.id and on_thread
        and position > coalesce((select max(through_position) from chain), 0)
    ) m
  ) as messages`;

/** $1 user, $2 conversation. One row, or none for an unknown conversation. */
export const readWindow = `
with recursive ${compactionChain("v.id = $2::uuid")}
select ${windowColumns}
from conversations v
where v.user_id = $1 and v.id = $2::uuid`;
