// Reads the result of a committed turn start whose answer was lost.
// Invariant: it returns no row unless this sender committed that start, and still holds the lease that it took or
// named.

/**
 * $1 user, $2 conversation, $3 its last message, $4 the fence or null, $5 the holder that took the lease or null. Rows
 * as in `beginTurn`, without what searches can find.
 */
export const readBegun = `
select v.lease_fence as fence, v.window_version, null as searchable, h.label, m.id as module_id, m.revision, m.version
from inputs i
join conversations v on v.user_id = i.user_id and v.id = i.conversation_id
join grants g on g.user_id = $1 and g.agent_id = v.agent_id
left join (
  agent_modules h join modules m on m.user_id = h.owner_id and m.id = h.module_id
) on h.agent_id = g.agent_id and h.user_id in ($1, g.owner_id) and (h.user_id = $1 or h.scope = 'agent')
where i.user_id = $1 and i.conversation_id = $2::uuid and i.status = 'taken' and i.message_id = $3::uuid
  and v.leaf_id = $3::uuid and (v.lease_fence = $4::int or v.lease_holder = $5)
order by h.position, h.label`;
