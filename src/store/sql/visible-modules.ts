// The modules of an agent that a user sees: the agent's own, which are its owner's rows, and the user's.
// Invariant: modules that a user may not change are marked read-only, so that no commit is needed to find out.

/** SQL: the modules of the agent with this id (an SQL expression) that user $1 sees, in their order. */
export function modulesOf(agent: string): string {
  return `
select m.user_id, m.label, m.scope, m.description, m.value, m.max_length, m.revision, m.trust,
  m.read_only or not g.is_usable or (m.scope = 'agent' and g.owner_id <> $1) as read_only
from grants g
join modules m on m.agent_id = g.agent_id
  and (m.user_id = $1 or (m.user_id = g.owner_id and m.scope = 'agent' and g.is_usable))
where g.user_id = $1 and g.agent_id = ${agent}
order by m.position, m.label`;
}

/** $1 user, $2 agent. For an agent that the user may no longer use, only the user's own modules, read-only. */
export const visibleModules = modulesOf("$2::uuid");
