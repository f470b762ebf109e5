// Reads the last messages up to a given one, on or off the thread.

/**
 * $1 user, $2 conversation, $3 the message, $4 maximum rows. Climbs from parent to parent by the primary key, so the
 * cost is proportional to the result. `is true` keeps the planner, which may lack statistics, from scanning the whole
 * conversation by its index.
 */
export const readPath = `
with recursive path as (
  select m.id, m.parent_id, 1 as number
  from messages m
  where m.user_id = $1 and (m.conversation_id = $2::uuid) is true and m.id = $3::uuid
  union all
  select m.id, m.parent_id, p.number + 1
  from path p join messages m on m.user_id = $1 and m.id = p.parent_id
  where p.number < $4::int
)
select m.id, m.parent_id, m.turn_id, m.role, m.speaker, m.kind, m.status, m.content, m.text, m.tokens, m.trust, m.created_at
from path p join messages m on m.user_id = $1 and m.id = p.id
order by p.number desc`;
