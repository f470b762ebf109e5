// Adds passages, each text once per user and agent.
// Invariant: of two passages with one text the first stays, whoever comes second, also at the same time.

/**
 * The CTE `added`, after one named `source` that yields `agent_id`. `rows` is SQL for a JSON array; $1 is the user.
 * A repetition within the array is left out here, since "on conflict do nothing" sees only what other statements wrote.
 */
export function addPassages(source: string, rows: string): string {
  return `added as (
  insert into passages (user_id, id, agent_id, conversation_id, kind, tags, origin, content, search_text, content_hash, created_at)
  select distinct on (p.content_hash) $1, p.id, s.agent_id, p.conversation_id, p.kind,
    array(select jsonb_array_elements_text(p.tags)), p.origin, p.content, p.search_text, decode(p.content_hash, 'hex'),
    coalesce(p.created_at, now())
  from ${source} as s, jsonb_to_recordset(${rows}) as p (id uuid, conversation_id uuid, kind text, tags jsonb, origin text,
    content text, search_text text, content_hash text, created_at timestamptz, number int)
  order by p.content_hash, p.number
  on conflict (user_id, agent_id, content_hash) do nothing
  returning id
)`;
}
