// Reads turns, their messages and their model calls. The order of ids is the order of creation.
// Invariant: read-only except for `isBackground` and `metadata`, which callers keep with a turn. The state of a turn follows
// from its conversation: it runs while the lease is held and the leaf is one of its messages. So a turn whose process was
// killed counts as interrupted as soon as its lease has expired, without a write.
import type { UserContext } from "../connection/database.ts";
import { messageColumns, messageOfRow, type MessageRow } from "../conversations/message-rows.ts";
import { recordColumns, usageColumn, usageFields } from "../own-rows.ts";
import { type Direction, inRange, rowsInRange } from "../pages.ts";
import type { TurnRecord, TurnRecordStore, TurnStep } from "../port/turn-record-store.ts";
import { steps } from "../schema.ts";
import { notesIn } from "../sql/unfinished-turns.ts";

export function createTurnRecordStore({ userId, statement }: UserContext): TurnRecordStore {
  return {
    list: ({ agentId, conversationId, states, stopReason, isBackground, ...range }) =>
      rowsInRange<TurnRecord>(statement, {
        range,
        statement: listTurns,
        parameters: [userId, agentId, conversationId, states, stopReason, isBackground],
      }),
    find: async (id) => (await statement<TurnRecord>(findTurn, [userId, id]))[0] ?? null,
    update: async (id, { isBackground, metadata }) =>
      (await statement(keepWithTurn, [userId, id, isBackground, metadata])).length > 0,
    messages: async (id) => (await statement<MessageRow>(messagesOfTurn, [userId, id])).map(messageOfRow),
    steps: ({ agentId, turnId, conversationId, ...range }) =>
      rowsInRange<TurnStep>(statement, {
        range,
        statement: listSteps,
        parameters: [userId, agentId, turnId, conversationId],
      }),
    findStep: async (id) => (await statement<TurnStep>(findStepById, [userId, id]))[0] ?? null,
  };
}

/** Changes a turn. $1 user, $2 turn, $3 whether it runs in the background, $4 metadata; null keeps a field. */
const keepWithTurn = `
update turns set is_background = coalesce($3::boolean, is_background), metadata = coalesce($4::text, metadata)
where user_id = $1 and id = $2::uuid
returning 1`;

const isCurrent = "leaf.turn_id = t.id";

const state = `case
  when v.lease_expires_at > now() and ${isCurrent}
    and (t.stop_reason is null or t.stop_reason like 'awaiting-%' or t.stop_reason in ('interrupted', 'model-error', 'context-overflow'))
    then 'running'
  when t.stop_reason like 'awaiting-%' and ${isCurrent} then 'waiting'
  when t.stop_reason in ('model-error', 'context-overflow') then 'failed'
  when t.stop_reason is null or t.stop_reason = 'interrupted' or t.stop_reason like 'awaiting-%' then 'interrupted'
  else 'completed' end`;

// Turns with a row, and turns that have none yet, because their input is still queued.
const known = `
  select t.id, t.agent_id as "agentId", t.conversation_id as "conversationId", ${state} as state, t.stop_reason as "stopReason",
    t.error_code as "errorCode", t.is_background as "isBackground", t.metadata::json as metadata, t.created_at as "createdAt",
    t.ended_at as "endedAt"
  from turns t
  join conversations v on v.user_id = $1 and v.id = t.conversation_id
  left join messages leaf on leaf.user_id = $1 and leaf.id = v.leaf_id
  where t.user_id = $1
  union all
  select i.turn_id, i.agent_id, i.conversation_id, 'queued', null, null, ${notesIn("i.options")}::json, i.created_at, null
  from inputs i
  where i.user_id = $1 and i.turn_id is not null and i.status = 'queued' and i.waits_until > now()
    and not exists (select from turns t where t.user_id = $1 and t.id = i.turn_id)`;

/** Returns a turn. $1 user, $2 turn. */
const findTurn = `select k.* from (${known}) k where k.id = $2::uuid`;

/**
 * Statement for `rowsInRange`. Further parameters: $5 agent, $6 conversation, $7 states, $8 stop reason, $9 whether it runs in
 * the background; each null for all.
 */
function listTurns(direction: Direction): string {
  return `
select k.* from (${known}) k
where ($5::uuid is null or k."agentId" = $5::uuid) and ($6::uuid is null or k."conversationId" = $6::uuid)
  and ($7::text is null or k.state in (select jsonb_array_elements_text($7::text::jsonb)))
  and ($8::text is null or k."stopReason" = $8) and ($9::boolean is null or k."isBackground" = $9::boolean)
  ${inRange({ by: ["k.id"], of: (id) => id, direction })}`;
}

/** Returns the messages of a turn, on all branches. $1 user, $2 turn. */
const messagesOfTurn = `
select ${messageColumns("m")}
from turns t
join messages m on m.user_id = $1 and m.conversation_id = t.conversation_id and m.turn_id = t.id
where t.user_id = $1 and t.id = $2::uuid
order by m.position, m.id`;

const stepColumns = `${recordColumns(steps, "s", usageFields)}, ${usageColumn("s")}`;

/** Returns a step. $1 user, $2 step. */
const findStepById = `select ${stepColumns} from steps s where s.user_id = $1 and s.id = $2::uuid`;

/** Statement for `rowsInRange`. Further parameters: $5 agent, $6 turn, $7 conversation; each null for all. */
function listSteps(direction: Direction): string {
  return `
select ${stepColumns} from steps s
where s.user_id = $1 and ($5::uuid is null or s.agent_id = $5::uuid)
  and ($6::uuid is null or (s.turn_id = $6::uuid
    and s.conversation_id = (select t.conversation_id from turns t where t.user_id = $1 and t.id = $6::uuid)))
  and ($7::uuid is null or s.conversation_id = $7::uuid)
  ${inRange({ by: ["s.id"], of: (id) => id, direction })}`;
}
