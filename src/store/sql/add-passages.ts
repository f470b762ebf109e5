// Adds passages, each text once per user and agent.
// Invariant: of two passages with one text the first is kept, also under concurrency; a passage names a message only
// while that message alone has added it.

/**
 * The CTE `added`, which follows a CTE named `source` that yields `agent_id`. `rows` is SQL for a JSON array; $1 is the
 * user. Duplicates within the array are removed here, since "on conflict" only handles rows of other statements.
 * `sourceId` is SQL for the source that they belong to; then the `agent_id` of the CTE named `source` is null.
 * `added` also has the row, with its own id, of an existing text that now has a second origin.
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
  on conflict (user_id, archive_id, content_hash) do update set message_id = null, call_id = null
    where passages.message_id is not null and passages.message_id is distinct from excluded.message_id
  returning id
)`;
}
