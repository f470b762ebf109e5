// Searches archival memory by words and by meaning in one statement.
// Invariant: the candidates depend on the query alone, not on the page, so pages do not overlap and `total` is theirs.
import { anyOfWords } from "./any-of-words.ts";

/**
 * $1 user, $2 agent, $3 pattern, $4 words, $5 fragments, $6 vector or null, $7 embedder or null, $8 tags (JSON array or null),
 * $9 from, $10 before, $11 rows to skip, $12 page size, $13 how many by meaning, $14 least similarity, $15 weight of meaning,
 * $16 what a literal match adds.
 * What was found by words has its similarity looked up, however small; what was found by meaning alone has the floor.
 * Each side is divided by its best, so that a weak voice cannot outvote a strong one: measured, that sum ranks best.
 */
export const searchPassages = `
with asked as materialized (
  select $3::text as pattern, ${anyOfWords("$4::text")} as words,
    array(select jsonb_array_elements_text($5::text::jsonb)) as fragments, $6::text::vector as vector,
    case when $8::text is not null then array(select jsonb_array_elements_text($8::text::jsonb)) end as tags
), allowed as (
  select p.id, p.search_text, p.words
  from passages p, asked
  where p.user_id = $1 and p.agent_id = $2::uuid
    and (asked.tags is null or p.tags && asked.tags)
    and ($9::timestamptz is null or p.created_at >= $9::timestamptz)
    and ($10::timestamptz is null or p.created_at < $10::timestamptz)
), near as materialized (
  select v.passage_id as id, max(1 - (v.embedding <=> asked.vector)) as cosine
  from asked, passages_512 v
  where asked.vector is not null and v.user_id = $1 and v.agent_id = $2::uuid and ($7::text is null or v.embedder = $7)
    and ((asked.tags is null and $9::timestamptz is null and $10::timestamptz is null)
      or exists (select from allowed where allowed.id = v.passage_id))
    and 1 - (v.embedding <=> asked.vector) >= $14::float8
  group by v.passage_id
  order by cosine desc, v.passage_id
  limit $13::int
), lexical as materialized (
  select a.id, coalesce(a.search_text like asked.pattern, false) as literal,
    case when a.words @@ asked.words then ts_rank(a.words, asked.words) else 0 end
      + case when asked.fragments <> '{}'
          then (select count(*) from unnest(asked.fragments) f where a.search_text like f) / cardinality(asked.fragments)::float8
          else 0 end as rank
  from allowed a, asked
  where a.search_text like asked.pattern or a.words @@ asked.words or a.search_text like any (asked.fragments)
), voices as materialized (
  select id, l.rank, l.literal, coalesce(near.cosine, (
    select max(1 - (v.embedding <=> asked.vector))
    from asked, passages_512 v
    where v.user_id = $1 and v.passage_id = id and ($7::text is null or v.embedder = $7)
  )) as cosine
  from lexical l full join near using (id)
), candidates as materialized (
  select id,
    coalesce(rank / nullif(max(rank) over (), 0), 0)
      + $15::float8 * coalesce(greatest(cosine, 0) / nullif(greatest(max(cosine) over (), 0), 0), 0)
      + case when literal then $16::float8 else 0 end as score
  from voices
), page as (
  select id, score from candidates order by score desc, id offset $11::int limit $12::int
)
select t.total, p.id, p.content, to_jsonb(p.tags) as tags, p.kind, p.origin, p.created_at
from (select count(*)::int as total from candidates) t
left join page on true
left join passages p on p.user_id = $1 and p.id = page.id
order by page.score desc, page.id`;
