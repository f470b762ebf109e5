// The modules that a user sees of an agent: the agent's own, which are its owner's rows, and the user's.
// Invariant: what a user may not change is read-only to that user, so that nobody learns it from a refused commit.

/**
 * $1 user, $2 agent. Also of an agent that the user may not see, of which there is nothing but the user's own rows:
 * the agent's come only when it is the user's or was granted.
 */
export const visibleModules = `
select m.user_id, m.label, m.scope, m.description, m.value, m.max_length, m.revision, m.trust,
  m.read_only or (m.scope = 'agent' and a.user_id <> $1) as read_only
from agents a
join modules m on m.agent_id = a.id and m.user_id in ($1, a.user_id) and (m.user_id = $1 or m.scope = 'agent')
where a.id = $2::uuid
  and (a.user_id = $1 or exists (select from grants g where g.user_id = $1 and g.agent_id = a.id))
order by m.position, m.label`;
