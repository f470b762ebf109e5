// Lists the ends of a conversation's tree, with the message where each leaves the thread and the last text before the
// end.

const isText = (message: string) =>
  `${message}.kind = 'message' and ${message}.role <> 'tool' and btrim(${message}.text) <> ''`;

/**
 * $1 user, $2 conversation. An end is the leaf, or a message off the thread without a successor: a successor would have
 * the next position, so the index finds it. `path` climbs from each end to the thread, so the cost is the length of the
 * branches plus one lookup per message. The number of messages is the position.
 */
export const listBranches = `
with recursive ends as (
  select m.id, m.position, m.created_at, m.id is not distinct from v.leaf_id as is_current
  from conversations v
  join messages m on m.user_id = v.user_id and m.conversation_id = v.id
  where v.user_id = $1 and v.id = $2::uuid and (m.id = v.leaf_id or not m.on_thread and not exists (
    select from messages c
    where c.user_id = m.user_id and c.conversation_id = m.conversation_id and c.position = m.position + 1 and c.parent_id = m.id
  ))
), path as (
  select e.id as end_id, m.id, m.parent_id, m.position, m.on_thread, ${isText("m")} as is_text
  from ends e join messages m on m.user_id = $1 and m.id = e.id
  union all
  select p.end_id, m.id, m.parent_id, m.position, m.on_thread, ${isText("m")}
  from path p join messages m on m.user_id = $1 and m.id = p.parent_id
  where not p.on_thread
)
select e.id, e.position as messages, e.created_at, e.is_current,
  case when not e.is_current then fork.id end as fork_id, e.position - coalesce(fork.position, 0) as own_messages,
  left(coalesce(own.text, shared.text, ''), 200) as preview
from ends e
left join path fork on fork.end_id = e.id and fork.on_thread
left join lateral (
  select m.text
  from path p join messages m on m.user_id = $1 and m.id = p.id
  where p.end_id = e.id and p.is_text
  order by p.position desc
  limit 1
) own on true
left join lateral (
  select m.text
  from messages m
  where m.user_id = $1 and m.conversation_id = $2::uuid and m.on_thread and m.position < fork.position and ${isText("m")}
  order by m.position desc
  limit 1
) shared on own.text is null
order by e.is_current desc, e.created_at desc, e.id desc`;
