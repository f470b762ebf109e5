// Counts a user's passages of an agent up to a limit, instead of scanning a million rows.

/** SQL: the number of passages of user $1 with an agent, at most `max`; both parameters are SQL expressions. */
export function passageCountOf(agent: string, max: string): string {
  return `
select count(*)::int as count
from (select from passages where user_id = $1 and agent_id = ${agent} limit ${max}) p`;
}

/** $1 user, $2 agent, $3 the maximum to count. */
export const countPassages = passageCountOf("$2::uuid", "$3::int");
