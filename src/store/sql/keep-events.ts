// Stores events of a turn, and how the turn ended, in the statement of another write.
// Invariant: the events are stored if and only if the other write changes a row. If the database's answer to a write was
// lost, the next write contains the same events again and replaces the stored ones.
import type { EventBatch } from "../port/turn-store.ts";
import type { SqlParameter } from "../stored-values.ts";

/**
 * SQL: CTEs that store events for each row of `source`, which has the column agent_id. The events are in the parameters
 * $`first` to $`first + 4`: turn, first number, last number, text or null, and the end of the turn as JSON or null. $1 is the
 * user, $2 the conversation.
 */
export function keepEvents(source: string, first: number): string {
  const [turn, from, through, text, end] = [first, first + 1, first + 2, first + 3, first + 4].map(
    (number) => `$${number}`,
  );
  return `kept as (
  insert into turn_events (user_id, agent_id, conversation_id, turn_id, first_sequence, last_sequence, events)
  select $1, ${source}.agent_id, $2::uuid, ${turn}::uuid, ${from}::int, ${through}::int, ${text}
  from ${source} where ${text}::text is not null
  on conflict (user_id, turn_id, first_sequence) do update
    set last_sequence = excluded.last_sequence, events = excluded.events
    where turn_events.last_sequence < excluded.last_sequence
), ended as (
  insert into turns (user_id, id, agent_id, conversation_id, stop_reason, error_code, ended_at)
  select $1, ${turn}::uuid, ${source}.agent_id, $2::uuid, e.stop_reason, e.error_code, now()
  from ${source}, jsonb_to_record(${end}::text::jsonb) as e (stop_reason text, error_code text)
  where ${end}::text is not null
  on conflict (user_id, id) do update
    set stop_reason = excluded.stop_reason, error_code = excluded.error_code, ended_at = excluded.ended_at
)`;
}

/**
 * Stores events in a statement of their own; stores nothing for a process that lost the lease. $1 user, $2
 * conversation, $3 the lease's fence, then the parameters of `keepEvents`.
 */
export const appendEvents = `
with held as (
  select agent_id from conversations
  where user_id = $1 and id = $2::uuid and lease_fence = $3::int and lease_holder is not null
  for share
), ${keepEvents("held", 4)}
select 1`;

/** Returns the five parameters of `keepEvents`. */
export function eventParameters(batch: EventBatch | null): readonly SqlParameter[] {
  if (batch === null) return [null, null, null, null, null];
  const { turnId, first, last, events, end = null } = batch;
  const ended = end === null ? null : { stop_reason: end.stopReason, error_code: end.errorCode };
  return [turnId, first, last, events, ended];
}
