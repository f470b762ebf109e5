// What was said in a span of time, oldest first.

/** $1 user, $2 agent, $3 from, $4 before, $5 the turn left out, $6 rows to skip, $7 page size. As `searchMessages` otherwise. */
export const messagesOfSpan = `
with matches as materialized (
  select id, created_at
  from messages
  where user_id = $1 and agent_id = $2::uuid and search_text is not null and on_thread
    and ($3::timestamptz is null or created_at >= $3::timestamptz)
    and ($4::timestamptz is null or created_at < $4::timestamptz)
    and ($5::uuid is null or turn_id <> $5::uuid)
), page as (
  select id, created_at from matches order by created_at, id offset $6::int limit $7::int
)
select t.total, m.id, m.parent_id, m.turn_id, m.role, m.kind, m.status, m.content, m.text, m.tokens, m.created_at
from (select count(*)::int as total from matches) t
left join page on true
left join messages m on m.user_id = $1 and m.id = page.id
order by page.created_at, page.id`;
