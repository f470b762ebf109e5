// Finds the conversations that messages belong to.
import { firstWords } from "./first-words.ts";

/** Maximum code points of the first words of a conversation. */
const maxWords = 60;

/** $1 user, $2 ids of messages as JSON. Returns no row for a message that does not exist. */
export const conversationsOfMessages = `
select m.id as message_id, c.id, coalesce(c.title, case when f.trust <> 'external' then f.text end) as title
from jsonb_array_elements_text($2::text::jsonb) as asked (id)
cross join lateral (
  select id, conversation_id from messages
  where user_id = $1 and id between asked.id::uuid and asked.id::uuid
  order by id limit 1
) m
join conversations c on c.user_id = $1 and c.id = m.conversation_id
${firstWords("c.id", { codePoints: maxWords, unless: "c.title is not null" })}`;
