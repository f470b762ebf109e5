// Adds passages, each text once per user and agent.
// Invariant: of two passages with one text the first is kept, also under concurrency, and gets the tags of the second, with the
// lower trust class of both; a passage names a message only while that message alone has added it.

const hasSecondOrigin =
  "(passages.message_id is not null and passages.message_id is distinct from excluded.message_id)";
const hasNewTags = "not (excluded.tags <@ passages.tags)";
// The tags of a passage reach the prompt unless it is from outside.
const isLowered = `(${hasNewTags} and array_position(array['user', 'model', 'external'], excluded.trust)
      > array_position(array['user', 'model', 'external'], passages.trust))`;

/**
 * The CTE `added`, which follows a CTE named `source` that yields `agent_id`. `rows` is SQL for a JSON array; $1 is the
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
    external = case when ${isLowered} then excluded.external else passages.external end
    where ${hasSecondOrigin} or ${hasNewTags}
  returning id
)`;
}
