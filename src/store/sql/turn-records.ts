// Lists turns with their state, and their model calls. Ids sort by creation.
// Invariant: what a turn does now follows from its conversation: it runs while the lease is held and the leaf is one of its
// messages. So a turn whose process was killed is interrupted as soon as its lease has expired, without a write.

const isCurrent = "leaf.turn_id = t.id";

const state = `case
  when v.lease_expires_at > now() and ${isCurrent}
    and (t.stop_reason is null or t.stop_reason in ('interrupted', 'awaiting-approval', 'awaiting-result', 'model-error', 'context-overflow'))
    then 'running'
  when t.stop_reason in ('awaiting-approval', 'awaiting-result') and ${isCurrent} then 'waiting'
  when t.stop_reason in ('model-error', 'context-overflow') then 'failed'
  when t.stop_reason is null or t.stop_reason in ('interrupted', 'awaiting-approval', 'awaiting-result') then 'interrupted'
  else 'completed' end`;

// The sender announces a turn while its input is queued; once it is taken, the turn has a row.
const known = `
  select t.id, t.agent_id, t.conversation_id, ${state} as state, t.stop_reason, t.error_code, t.is_background, t.metadata,
    t.created_at, t.ended_at
  from turns t
  join conversations v on v.user_id = $1 and v.id = t.conversation_id
  left join messages leaf on leaf.user_id = $1 and leaf.id = v.leaf_id
  where t.user_id = $1
  union all
  select i.turn_id, i.agent_id, i.conversation_id, 'queued', null, null, false, '{}', i.created_at, null
  from inputs i
  where i.user_id = $1 and i.turn_id is not null and i.status = 'queued' and i.waits_until > now()
    and not exists (select from turns t where t.user_id = $1 and t.id = i.turn_id)`;

/** $1 user, $2 turn. */
export const findTurn = `select k.* from (${known}) k where k.id = $2::uuid`;

/**
 * $1 user, $2 agent, $3 conversation, $4 states as a JSON array, $5 stop reason, $6 whether it runs in the background, $7 and $8
 * ids that the others are newer and older than; each null for all; $9 limit.
 */
export function listTurns(direction: "asc" | "desc"): string {
  return `
select k.* from (${known}) k
where ($2::uuid is null or k.agent_id = $2::uuid) and ($3::uuid is null or k.conversation_id = $3::uuid)
  and ($4::text is null or k.state in (select jsonb_array_elements_text($4::text::jsonb)))
  and ($5::text is null or k.stop_reason = $5) and ($6::boolean is null or k.is_background = $6::boolean)
  and ($7::uuid is null or k.id > $7::uuid) and ($8::uuid is null or k.id < $8::uuid)
order by k.id ${direction}
limit $9::int`;
}

/** $1 user, $2 turn. */
export const messagesOfTurn = `
select m.id, m.parent_id, m.turn_id, m.role, m.speaker, m.kind, m.status, m.content, m.text, m.tokens, m.trust, m.created_at
from turns t
join messages m on m.user_id = $1 and m.conversation_id = t.conversation_id and m.turn_id = t.id
where t.user_id = $1 and t.id = $2::uuid
order by m.position, m.id`;

/** $1 user, $2 step. */
export const findStepById = "select s.* from steps s where s.user_id = $1 and s.id = $2::uuid";

/** $1 user, $2 agent, $3 turn, $4 and $5 ids that the others are newer and older than; each null for all; $6 limit. */
export function listSteps(direction: "asc" | "desc"): string {
  return `
select s.* from steps s
where s.user_id = $1 and ($2::uuid is null or s.agent_id = $2::uuid)
  and ($3::uuid is null or (s.turn_id = $3::uuid
    and s.conversation_id = (select t.conversation_id from turns t where t.user_id = $1 and t.id = $3::uuid)))
  and ($4::uuid is null or s.id > $4::uuid) and ($5::uuid is null or s.id < $5::uuid)
order by s.id ${direction}
limit $6::int`;
}
