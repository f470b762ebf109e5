// Whether an agent's own archive has more than it may.

/** $1 user, $2 agent, $3 passages or null, $4 bytes of text or null. One row. Rows are counted as far as asked. */
export const isOverLimit = `
select coalesce(
    (select count(*) from (select from passages where user_id = $1 and agent_id = $2::uuid limit $3::int + 1) p) > $3::int, false
  ) or coalesce(
    $4::bigint is not null
      and (select sum(octet_length(content)) from passages where user_id = $1 and agent_id = $2::uuid) > $4::bigint, false
  ) as over`;
