// Counts unfinished work of interrupted turns in open conversations: inputs without a reply, tool calls without a
// result.

/**
 * $1 user. Only threads count: popped messages are not resumed. A conversation whose leaf is a tool result waits for
 * the model in the native protocol; in the heartbeat protocol the turn may as well have ended.
 */
export const countUnfinished = `
select (
    select count(*)::int
    from conversations v
    join messages m on m.user_id = v.user_id and m.id = v.leaf_id
    join grants g on g.user_id = v.user_id and g.agent_id = v.agent_id
    join agents a on a.user_id = g.owner_id and a.id = g.agent_id
    where v.user_id = $1 and v.is_open
      and ((m.role = 'user' and m.kind <> 'event') or (m.role = 'tool' and a.protocol = 'native')
        or exists (select from tool_calls c where c.user_id = $1 and c.message_id = m.id and c.status = 'pending'))
  ) as conversations, (
    select count(*)::int
    from tool_calls c
    join messages m on m.user_id = c.user_id and m.id = c.message_id
    join conversations v on v.user_id = c.user_id and v.id = c.conversation_id and v.is_open
    where c.user_id = $1 and c.status = 'pending' and m.on_thread
  ) as calls`;
