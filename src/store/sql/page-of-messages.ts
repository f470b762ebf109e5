// Reads a page of a conversation's thread, before or after one of its messages.
// Invariant: the cost is proportional to the page, not to the conversation.
import { keyOfMessage, storedCall } from "./message-extras.ts";

/**
 * $1 user, $2 conversation, $3 the cursor or null, $4 maximum messages without tool results. Returns one message more if there is
 * one, and the tool results that follow each message. No row: nothing is there, or the cursor is not on the thread. A null
 * cursor means the end of the thread.
 */
export const pageBefore = statementFor({
  // Above the largest position.
  fromEnd: "v.leaf_position + 1",
  beyond: "<",
  order: "desc",
  range: `(select min(position) from heads) and position < (select position from cursor)`,
});

/** As `pageBefore`; a null cursor means the beginning of the thread. */
export const pageAfter = statementFor({
  fromEnd: "0",
  beyond: ">",
  order: "asc",
  range: `(select min(position) from heads) and position < coalesce((
      select min(n.position) from messages n
      where n.user_id = $1 and n.conversation_id = $2::uuid and n.on_thread and n.role <> 'tool'
        and n.position > (select max(position) from heads)
    ), 2147483647)`,
});

interface Direction {
  /** The cursor's position if there is no cursor. */
  readonly fromEnd: string;
  readonly beyond: "<" | ">";
  readonly order: "asc" | "desc";
  /** The positions of the rows: from and to. */
  readonly range: string;
}

function statementFor({ fromEnd, beyond, order, range }: Direction): string {
  return `
with cursor as (
  select case when $3::uuid is null then ${fromEnd} else (
    select m.position from messages m
    where m.user_id = $1 and (m.conversation_id = $2::uuid) is true and m.id = $3::uuid and m.on_thread
  ) end as position
  from conversations v
  where v.user_id = $1 and v.id = $2::uuid
), heads as (
  select m.position
  from messages m
  where m.user_id = $1 and m.conversation_id = $2::uuid and m.on_thread and m.role <> 'tool'
    and m.position ${beyond} (select position from cursor)
  order by m.position ${order}
  limit $4::int + 1
)
select m.id, m.parent_id, m.turn_id, m.role, m.speaker, m.kind, m.status, m.content, m.text, m.tokens, m.trust, m.created_at, (
    select coalesce(jsonb_object_agg(t.call_id, ${storedCall}), '{}')
    from tool_calls t
    where t.user_id = $1 and t.message_id = m.id
  ) as calls, ${keyOfMessage} as idempotency_key
from messages m
where m.user_id = $1 and m.conversation_id = $2::uuid and m.on_thread
  and position >= ${range}
order by m.position`;
}
