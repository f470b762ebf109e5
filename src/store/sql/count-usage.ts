// Counts a user's data.

/** $1 user. No row for an unknown user. */
export const countUsage = `
select (select count(*)::int from agents where user_id = $1) as agents,
  (select count(distinct user_id)::int from grants where owner_id = $1 and user_id <> $1 and is_usable) as "sharedWith",
  (select count(*)::int from conversations where user_id = $1) as conversations,
  (select count(*)::int from messages where user_id = $1) as messages,
  (select count(*)::int from passages where user_id = $1) as passages,
  (select count(*)::int from sources where user_id = $1) as sources
from users where user_id = $1`;
