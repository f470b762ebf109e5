// Adds passages, each text once per user and agent.
// Invariant: of two passages with one text the first is kept, also under concurrency, and gets the tags of the second, with the
// lower trust class of both and the sources of its new tags; a passage names a message only while messages of one turn alone have
// added it; links between passages form no circle, because what was just added is current.

const turnOf = (message: string): string =>
  `(select m.turn_id from messages m where m.user_id = $1 and m.id = ${message})`;
const hasSecondOrigin = `(passages.message_id is not null and passages.message_id is distinct from excluded.message_id
      and ${turnOf("passages.message_id")} is distinct from ${turnOf("excluded.message_id")})`;
/** A replaced text that is saved again is current again, since then. */
const isRestored = "(passages.replaced_by is not null and excluded.origin <> 'import')";
const hasNewTags = "not (excluded.tags <@ passages.tags)";
// The tags of a passage reach the prompt unless it is from outside, or they may be.
const isLowered = `(${hasNewTags} and array_position(array['user', 'model', 'external'], excluded.trust)
      > array_position(array['user', 'model', 'external'], passages.trust))`;
const hasOtherSources = `${isLowered} or (${hasNewTags} and passages.trust <> 'external' and excluded.external <> '[]')`;

/**
 * The CTEs `added` and `replaced`, which follow a CTE named `source` that yields `agent_id`. `rows` is SQL for a JSON array; $1 is the
 * user. Duplicates within the array are removed here, since "on conflict" only handles rows of other statements.
 * `sourceId` is SQL for the source that they belong to; then the `agent_id` of the CTE named `source` is null.
 * `added` also has the row, with its own id, of an existing text that now has a second origin or more tags.
 */
export function addPassages(source: string, rows: string, sourceId = "null::uuid"): string {
  return `added as (
  insert into passages (user_id, id, agent_id, source_id, conversation_id, message_id, call_id, kind, tags, origin, trust, external, content,
    search_text, terms, content_hash, importance, created_at)
  select distinct on (p.content_hash) $1, p.id, s.agent_id, ${sourceId}, p.conversation_id, p.message_id, p.call_id, p.kind,
    array(select jsonb_array_elements_text(p.tags)), p.origin, p.trust, p.external, p.content, p.search_text, p.terms::tsvector,
    decode(p.content_hash, 'hex'), p.importance, p.created_at
  from ${source} as s, jsonb_to_recordset(${rows}) as p (id uuid, conversation_id uuid, message_id uuid,
    call_id text, kind text, tags jsonb, origin text,
    trust text, external jsonb, content text, search_text text, terms text, content_hash text, importance float8, created_at timestamptz, number int)
  order by p.content_hash, p.number
  on conflict (user_id, archive_id, content_hash) do update set
    message_id = case when ${hasSecondOrigin} then null else passages.message_id end,
    call_id = case when ${hasSecondOrigin} then null else passages.call_id end,
    tags = passages.tags || array(select t from unnest(excluded.tags) t where t <> all(passages.tags)),
    trust = case when ${isLowered} then excluded.trust else passages.trust end,
    external = case when ${hasOtherSources} then excluded.external else passages.external end,
    replaced_by = case when ${isRestored} then null else passages.replaced_by end,
    created_at = case when ${isRestored} then excluded.created_at else passages.created_at end
    where ${hasSecondOrigin} or ${hasNewTags} or ${isRestored}
  returning id, content_hash
), replacing as (
  select r.id::uuid as replaced, coalesce(a.id, k.id) as id
  from ${source} as s cross join jsonb_to_recordset(${rows}) as p (content_hash text, replaces jsonb)
    cross join jsonb_array_elements_text(p.replaces) as r (id)
    left join added a on a.content_hash = decode(p.content_hash, 'hex')
    left join lateral (
      select e.id from passages e
      where e.user_id = $1 and e.archive_id = s.agent_id and e.content_hash = decode(p.content_hash, 'hex')
      limit 1 for key share
    ) k on true
), replaced as (
  update passages p set replaced_by = (select r.id from replacing r where r.replaced = p.id limit 1)
  where p.user_id = $1 and p.id = any(array(select r.replaced from replacing r where r.id <> r.replaced))
    and p.archive_id = (select s.agent_id from ${source} as s limit 1)
)`;
}
