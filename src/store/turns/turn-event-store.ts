// Stores the events of recent turns.
// Invariant: an append locks the conversation's row, so a process that lost the lease adds nothing after its successor
// has read the last number.
import type { StoredEvents, TurnEventStore } from "../port/turn-event-store.ts";
import type { EventBatch } from "../port/turn-store.ts";
import { conversationNotFound } from "../conversations/conversation-faults.ts";
import type { UserContext } from "../connection/database.ts";
import { appendEvents, eventParameters } from "../sql/keep-events.ts";
import { isUuid } from "../stored-values.ts";
import { isValidKey } from "../sql/opened-version.ts";
import { isHolderGone } from "./lease-store.ts";
import { idempotencyKeyOf } from "./turn-store.ts";

export function createTurnEventStore({ userId, statement }: UserContext): TurnEventStore {
  return {
    async append({ conversationId, fence }, batch) {
      await statement(appendEvents, [userId, conversationId, fence, ...eventParameters(batch)]);
    },
    async read(conversationId, turnId, { after, agent = null, keyId = null }) {
      if (!isUuid(turnId)) return { turnId, agentId: "", batches: [], state: "unknown" };
      const rows = await statement<EventRow>(readEvents, [userId, conversationId, turnId, after, agent, keyId]);
      const [first] = rows;
      if (first === undefined) throw conversationNotFound(conversationId);
      return { turnId: first.turnId, agentId: first.agentId, batches: rows.flatMap(batchesOf), state: stateOf(first) };
    },
    async last(turnId) {
      const [row] = await statement<{ readonly last: number }>(lastEvent, [userId, turnId]);
      return row?.last ?? 0;
    },
    async turnOf(conversationId, idempotencyKey) {
      const key = idempotencyKeyOf(idempotencyKey);
      const [row] = await statement<{ readonly id: string | null }>(turnOfInput, [userId, conversationId, key]);
      return row?.id ?? null;
    },
    async expire(ms) {
      await statement(expireEvents, [userId, ms]);
    },
  };
}

interface EventRow {
  readonly turnId: string;
  readonly agentId: string;
  readonly isQueued: boolean;
  readonly isRunning: boolean;
  readonly holder: string | null;
  readonly isKnown: boolean;
  readonly first: number | null;
  readonly last: number;
  readonly events: string;
}

function batchesOf({ turnId, first, last, events }: EventRow): readonly EventBatch[] {
  return first === null ? [] : [{ turnId, first, last, events }];
}

function stateOf({ isQueued, isRunning, isKnown, holder }: EventRow): StoredEvents["state"] {
  if (isRunning && holder !== null && !isHolderGone(holder)) return "running";
  if (isQueued) return "queued";
  return isKnown ? "over" : "unknown";
}

/**
 * Reads events. $1 user, $2 conversation, $3 turn, $4 the last event that was read, $5 the required agent by name or id, or
 * null, $6 the required key, or null. Returns a row per batch; one row with nulls if there is no batch; no row for an unknown
 * conversation or an unmet requirement. A turn runs while the lease is held and the leaf is one of its messages. A turn that
 * has ended is known only as long as its events are stored.
 */
const readEvents = `
with wanted as (
  select coalesce(taken.turn_id, $3::uuid) as turn_id, coalesce(i.status = 'queued' and i.waits_until > now(), false) as is_queued,
    i.turn_id is not null as was_queued
  from (select) as always
  left join inputs i on i.user_id = $1 and i.turn_id = $3::uuid
  left join messages taken on taken.user_id = $1 and taken.id = i.message_id
  limit 1
)
select w.turn_id as "turnId", v.agent_id as "agentId", w.is_queued as "isQueued", v.lease_holder as holder,
  coalesce(v.lease_expires_at > now() and leaf.turn_id = w.turn_id, false) as "isRunning",
  exists (select from turn_events k where k.user_id = $1 and k.turn_id = w.turn_id) or (
    (w.was_queued or coalesce(leaf.turn_id = w.turn_id, false))
    and not exists (select from turns t where t.user_id = $1 and t.id = w.turn_id and t.stop_reason not like 'awaiting-%')
  ) as "isKnown",
  e.first_sequence as first, e.last_sequence as last, e.events
from wanted w
join conversations v on v.user_id = $1 and v.id = $2::uuid
left join messages leaf on leaf.user_id = $1 and leaf.id = v.leaf_id
left join turn_events e
  on e.user_id = $1 and e.turn_id = w.turn_id and e.conversation_id = v.id and e.last_sequence > $4::int
where ($5::text is null or exists (
    select from grants g join agents a on a.user_id = g.owner_id and a.id = g.agent_id
    where g.user_id = $1 and g.agent_id = v.agent_id and g.is_usable and $5 in (a.id::text, a.name)
  ))
  and ($6::uuid is null or ${isValidKey("$6::uuid")})
order by e.first_sequence`;

const lastEvent = `
select coalesce(max(last_sequence), 0) as last from turn_events where user_id = $1 and turn_id = $2::uuid`;

const turnOfInput = `
select coalesce(m.turn_id, i.turn_id) as id
from inputs i
left join messages m on m.user_id = i.user_id and m.id = i.message_id
where i.user_id = $1 and i.conversation_id = $2::uuid and (i.idempotency_key = $3
  or (i.status = 'queued' and i.messages @> jsonb_build_array(jsonb_build_object('idempotencyKey', $3::text))))
order by i.idempotency_key = $3 desc
limit 1`;

const expireEvents = `
delete from turn_events e
where e.user_id = $1 and e.created_at < now() - $2::float8 * interval '1 millisecond'
  and not exists (
    select from tool_calls t
    join messages m on m.user_id = t.user_id and m.id = t.message_id
    where t.user_id = $1 and t.agent_id = e.agent_id and t.status like 'awaiting-%' and m.turn_id = e.turn_id
  )`;
