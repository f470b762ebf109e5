// Counts a user's passages of an agent up to a limit, instead of scanning a million rows.

/** $1 user, $2 agent, $3 the maximum to count. */
export const countPassages = `
select count(*)::int as count
from (select from passages where user_id = $1 and agent_id = $2::uuid limit $3::int) p`;
