// Statements on synopses: claim, save, clear, and the passages that a synopsis is made from.

/** $1 user, $2 agent. */
export const readSynopses = `
select part, next_refresh_at, content, trust, made_at, expires_at, to_jsonb(passages) as passages, left_out, memory_tokens,
  tokens, model, input_tokens, output_tokens, cached_input_tokens, dollars
from synopses where user_id = $1 and agent_id = $2::uuid
order by part desc`;

/**
 * $1 user, $2 agent, $3 maximum passages, $4 characters of each, $5 now. One row of nulls after the total if there are
 * none. The agent's id is the archive's id, so the index over an archive's passages applies.
 */
export const synopsisMemories = `
select t.total, p.id, p.content, p.trust, p.created_at
from (select count(*)::int as total from passages where user_id = $1 and archive_id = $2::uuid and replaced_by is null) t
left join (
  select p.id, left(p.content, $4::int) as content, p.trust, p.created_at, importance_of(p, $5::timestamptz) as weight
  from passages p where p.user_id = $1 and p.archive_id = $2::uuid and p.replaced_by is null
  order by weight desc, p.created_at desc, p.id desc limit $3::int
) p on true
order by p.weight desc, p.created_at desc, p.id desc`;

/**
 * $1 user, $2 agent, $3 claim, $4 parts as JSON, $5 now, $6 when the next claim is allowed, $7 whether a person asks.
 */
export const claimSynopses = `
insert into synopses as s (user_id, agent_id, part, claim, next_refresh_at)
select $1, $2::uuid, part, $3::uuid, $6::timestamptz from jsonb_array_elements_text($4::text::jsonb) part
on conflict (user_id, agent_id, part) do update set claim = excluded.claim, next_refresh_at = excluded.next_refresh_at
where s.next_refresh_at <= $5::timestamptz or (s.claim is null and $7::boolean)
returning part`;

/**
 * Counts which of the passages exist, and locks them until the transaction ends: it waits for a concurrent deletion,
 * and a later deletion finds what was made from them. $1 user, $2 ids as JSON.
 */
export const lockPassages = `
with held as materialized (
  select id from passages
  where user_id = $1 and id = any (array(select jsonb_array_elements_text($2::text::jsonb)::uuid))
  order by id for key share
)
select count(*)::int as held from held`;

/** $1 user, $2 agent, $3 claim, $4 the parts as JSON. */
export const saveSynopses = `
update synopses s
set content = m.content, trust = m.trust, made_at = m.made_at, expires_at = m.expires_at,
  passages = array(select jsonb_array_elements_text(m.passages)::uuid), left_out = m.left_out,
  memory_tokens = m.memory_tokens, tokens = m.tokens, model = m.model, input_tokens = m.input_tokens,
  output_tokens = m.output_tokens, cached_input_tokens = m.cached_input_tokens, dollars = m.dollars, claim = null
from jsonb_to_recordset($4::text::jsonb) as m (part text, content jsonb, trust text, made_at timestamptz,
  expires_at timestamptz, passages jsonb, left_out int, memory_tokens int, tokens int, model text, input_tokens int,
  output_tokens int, cached_input_tokens int, dollars float8)
where s.user_id = $1 and s.agent_id = $2::uuid and s.part = m.part and s.claim = $3::uuid
returning s.part`;

/** Releases a claim: $1 user, $2 agent, $3 claim. */
export const releaseSynopses = `
update synopses set claim = null where user_id = $1 and agent_id = $2::uuid and claim = $3::uuid`;

/** $1 user, $2 agent. */
export const clearSynopses = `
with hidden as (
  update conversations set memory_snapshot = memory_snapshot - 'synopsis'
  where user_id = $1 and agent_id = $2::uuid and memory_snapshot ? 'synopsis'
), gone as (
  delete from synopses where user_id = $1 and agent_id = $2::uuid returning content
)
select count(content)::int as cleared from gone`;

/** Whether a conversation's prompt shows a synopsis: $1 user, $2 conversation. */
export const isSynopsisShown = `
select from conversations where user_id = $1 and id = $2::uuid and memory_snapshot ? 'synopsis'`;
