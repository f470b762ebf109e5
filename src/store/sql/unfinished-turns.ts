// Finds unfinished turns, which servers continue: turns that no process runs, and queued inputs of senders that are
// gone.
// Invariant: whether a lease's holder still runs is checked by the caller. While a sender waits, later inputs of the
// conversation wait behind its input, which gets a turn of its own.
import type { Lease } from "../port/turn-store.ts";
import type { ReopenedTurn } from "../port/unfinished-turn-store.ts";
import type { SqlParameter } from "../stored-values.ts";

/** Milliseconds without a poll after which a sender counts as gone. The next sender then adopts its input. */
export const senderPatienceMs = 5000;

/** Milliseconds for which an input stays queued after its sender is gone, so that a server can continue it. */
export const adoptionMs = 30_000;

/** SQL: the time until which an input in the table `inputs` waits if its sender polls now. */
export const waitsUntil = `now() + (${senderPatienceMs} + case when is_served then ${adoptionMs} else 0 end) * interval '1 millisecond'`;

/** SQL: whether the sender of the input `i` is gone, and servers may continue the input. */
const isSenderGone = `i.status = 'queued' and i.is_served and i.waits_until <= now() + ${adoptionMs} * interval '1 millisecond'`;

/** SQL: whether the unfinished turn of the conversation `v` was requested to stop, but its process ended before the stop. */
const isStopped = "coalesce(v.stopped_fence = v.lease_fence, false)";

/**
 * Lists unfinished turns, then the inputs that wait behind them. `holder`: the holder of a lease that has not expired,
 * otherwise null. $1 user, $2 conversation, or null for all.
 */
export const listUnfinishedTurns = `
select l."turnId", l."agentId", l."conversationId", l."isQueued", l."isStopped", l.holder from (
  select t.id as "turnId", t.agent_id as "agentId", t.conversation_id as "conversationId", false as "isQueued", ${isStopped} as "isStopped", t.created_at,
    case when v.lease_expires_at > now() then v.lease_holder end as holder
  from turns t
  join conversations v on v.user_id = $1 and v.id = t.conversation_id
  where t.user_id = $1 and t.is_served and t.stop_reason is null and v.is_open
  union all
  select i.turn_id, i.agent_id, i.conversation_id, true, false, i.created_at, null
  from inputs i
  join conversations v on v.user_id = $1 and v.id = i.conversation_id
  where i.user_id = $1 and ${isSenderGone} and i.turn_id is not null and v.is_open
) l
where $2::uuid is null or l."conversationId" = $2::uuid
order by l."isQueued", l.created_at, l."turnId"`;

/** Extends the time that inputs whose sending process has ended stay queued for a server. $1 user, $2 conversation. */
export const keepWaitingInputs = `
update inputs i set waits_until = now() + ${adoptionMs} * interval '1 millisecond'
where i.user_id = $1 and i.conversation_id = $2::uuid and ${isSenderGone}`;

/** Returns how a turn was requested, and its state, even if its input is still queued. $1 user, $2 turn. */
export const findAskedTurn = `
select t.options::json as options, t.is_served as "isServed", t.continued, t.stop_reason as "stopReason",
  t.stop_reason is null and ${isStopped} as "isStopped"
from turns t join conversations v on v.user_id = $1 and v.id = t.conversation_id
where t.user_id = $1 and t.id = $2::uuid
union all
select i.options::json, i.is_served, 0, null, false from inputs i where i.user_id = $1 and i.turn_id = $2::uuid and i.status = 'queued'
limit 1`;

/** Returns the messages of the queued input of a turn. $1 user, $2 conversation, $3 turn. */
export const findQueuedInput = `
select i.messages from inputs i
where i.user_id = $1 and i.conversation_id = $2::uuid and i.turn_id = $3::uuid and i.status = 'queued'`;

/** SQL: whether a turn runs in the background and its metadata, both from the `notes` in the options of the turn's request. */
export const notesIn = (options: string): string =>
  `coalesce((${options}::json #>> '{notes,isBackground}')::boolean, false), coalesce(${options}::json #>> '{notes,metadata}', '{}')`;

/** SQL: the assignments that remove the end of a turn, because it is resumed. */
const goesOn = "stop_reason = null, error_code = null, ended_at = null";

/** SQL that resumes the turn of the message in the parameter `message`; $1 user. */
export const goOnWithTurnOf = (message: string): string => `
update turns t set ${goesOn}
from messages m
where m.user_id = $1 and m.id = ${message}::uuid and t.user_id = $1 and t.id = m.turn_id`;

/** Returns the parameters of `reopenTurn`. */
export function reopenParameters(
  userId: string,
  { conversationId, fence }: Lease,
  { turnId, terms, isContinued }: ReopenedTurn,
): readonly SqlParameter[] {
  return [userId, conversationId, fence, turnId, terms.options, terms.isServed, isContinued];
}

/**
 * Records that a turn resumes. $1 user, $2 conversation, $3 fence, $4 turn, $5 and $6 its `TurnTerms`, $7 whether the turn is
 * continued instead of requested again. Returns the number of the turn's last stored event.
 */
export const reopenTurn = `
with held as (
  select agent_id from conversations
  where user_id = $1 and id = $2::uuid and lease_fence = $3::int and lease_holder is not null
  for share
), opened as (
  insert into turns (user_id, id, agent_id, conversation_id, options, is_served)
  select $1, $4::uuid, held.agent_id, $2::uuid, $5, $6::boolean from held
  on conflict (user_id, id) do update
    set ${goesOn}, options = excluded.options, is_served = excluded.is_served,
      continued = case when $7::boolean then turns.continued + 1 else 0 end
)
select coalesce(max(e.last_sequence), 0) as last from turn_events e where e.user_id = $1 and e.turn_id = $4::uuid`;
