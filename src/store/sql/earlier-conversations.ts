// Reads what the last conversations of a user with an agent were about: their titles, and the summary or the first words of each.
import { firstWords } from "./first-words.ts";

/** Code points of a text. */
const maxText = 160;

/**
 * $1 user, $2 agent, $3 the conversation that is left out, $4 limit. Newest first. Texts from outside are left out, because what a
 * conversation begins with lowers the class of all that follows. A summary is that of the newest messages on the thread.
 */
export const earlierConversations = `
select v.id, v.updated_at, case when f.trust <> 'external' then v.title end as title,
  coalesce(s.text, case when f.trust <> 'external' then f.text end) as text,
  case when s.text is null then f.trust else s.trust end as trust
from (
  select v.id, v.title, v.updated_at
  from conversations v
  where v.user_id = $1 and v.agent_id = $2::uuid and v.id <> $3::uuid and v.leaf_id is not null
  order by v.updated_at desc, v.id desc
  limit $4::int
) v
${firstWords("v.id", { codePoints: maxText })}
left join lateral (
  select left(c.summary, ${maxText}) as text, c.trust
  from compactions c
  join messages m on m.user_id = $1 and m.id = c.through_id and m.on_thread
  where c.user_id = $1 and c.conversation_id = v.id and c.undone_at is null and c.summary <> '' and c.trust <> 'external'
  order by c.through_position desc, c.window_version desc
  limit 1
) s on true
order by v.updated_at desc, v.id desc`;
