// Checks whether an agent's own archive exceeds its limits.

/**
 * $1 user, $2 agent, $3 maximum passages or null, $4 maximum bytes of text or null. One row. Rows are counted up to the
 * limit only.
 */
export const isOverLimit = `
select coalesce(
    (select count(*) from (select from passages where user_id = $1 and agent_id = $2::uuid limit $3::int + 1) p) > $3::int, false
  ) or coalesce(
    $4::bigint is not null
      and (select sum(octet_length(content)) from passages where user_id = $1 and agent_id = $2::uuid) > $4::bigint, false
  ) as over`;
