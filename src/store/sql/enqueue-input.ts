// Inserts an input into its conversation's queue.

/**
 * $1 user, $2 conversation, $3 idempotency key, $4 its messages as JSON, $5 milliseconds that it waits unless it polls
 * again, $6 the turn that is to answer it, or null, $7 and $8 the terms of that turn. One row if it is queued; none for an unknown
 * conversation, and for a key that was accepted or whose sender still waits.
 */
export const enqueueInput = `
insert into inputs (user_id, agent_id, conversation_id, idempotency_key, status, messages, waits_until, turn_id, options, is_served)
select $1, v.agent_id, v.id, $3, 'queued', $4::text::jsonb, now() + $5::float8 * interval '1 millisecond', $6::uuid,
  $7, $8::boolean
from conversations v
where v.user_id = $1 and v.id = $2::uuid
on conflict (user_id, conversation_id, idempotency_key) do update
  set waits_until = excluded.waits_until, turn_id = excluded.turn_id, options = excluded.options, is_served = excluded.is_served
  where inputs.status = 'queued' and inputs.waits_until <= now()
returning 1`;
