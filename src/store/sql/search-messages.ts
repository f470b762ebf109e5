// Searches what was said.
// Invariant: `total` counts all that match, of which the page is a part; an empty page still comes with it.
import { anyOfWords } from "./any-of-words.ts";

/**
 * $1 user, $2 agent, $3 pattern, $4 words, $5 fragments (JSON array of patterns), $6 from, $7 before, $8 the turn left out,
 * $9 rows to skip, $10 page size. Matches are scanned once: a literal can stand anywhere in a word, so no index answers it,
 * and rank and total need every match anyway. Only the page is joined to the messages' content.
 */
export const searchMessages = `
with asked as materialized (
  select $3::text as pattern, ${anyOfWords("$4::text")} as words,
    array(select jsonb_array_elements_text($5::text::jsonb)) as fragments
), matches as materialized (
  select m.id, m.created_at, m.search_text like asked.pattern as literal,
    case when m.words @@ asked.words then ts_rank(m.words, asked.words) else 0 end as rank,
    case when asked.fragments <> '{}' then (select count(*) from unnest(asked.fragments) f where m.search_text like f) end as fragments
  from messages m, asked
  where m.user_id = $1 and m.agent_id = $2::uuid and m.search_text is not null and m.on_thread
    and ($6::timestamptz is null or m.created_at >= $6::timestamptz)
    and ($7::timestamptz is null or m.created_at < $7::timestamptz)
    and ($8::uuid is null or m.turn_id <> $8::uuid)
    and (m.search_text like asked.pattern or m.words @@ asked.words or m.search_text like any (asked.fragments))
), page as (
  select * from matches
  order by literal desc, rank desc, fragments desc, created_at desc, id desc
  offset $9::int limit $10::int
)
select t.total, m.id, m.parent_id, m.turn_id, m.role, m.kind, m.status, m.content, m.text, m.tokens, m.created_at
from (select count(*)::int as total from matches) t
left join page on true
left join messages m on m.user_id = $1 and m.id = page.id
order by page.literal desc, page.rank desc, page.fragments desc, page.created_at desc, page.id desc`;
