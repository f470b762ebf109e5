// Starts a turn: takes the lease, inserts the turn, the inputs and their messages, moves the leaf, and returns module
// revisions and what searches can find, all in one statement.
// Invariant: the statement returns no row if and only if it wrote nothing.
import { appendMessages } from "./append-messages.ts";
import { isValidKey, openedVersion } from "./opened-version.ts";
import { notesIn } from "./unfinished-turns.ts";

/** SQL: the status of the input with the key `x.key`. */
const statusOf = `
        select i.status from inputs i
        where i.user_id = $1 and i.conversation_id = $2::uuid and i.idempotency_key = x.key`;

// The condition for beginning the turn. Without a fence ($5), the lease must be free, and no input may wait. The condition is
// false for a repeated idempotency key, so that the statement writes nothing instead of violating a unique key, and for an
// adopted input that is no longer queued. An adopted input's row is locked, so that nobody withdraws it before the commit. Each
// key is looked up by a scalar query, since for a join PostgreSQL would read all inputs of the conversation.
const lease = `case
      when $5::int is not null then lease_fence = $5::int
      else is_open and (lease_holder is null or lease_expires_at <= now())
        and not exists (select from inputs i where i.user_id = $1 and i.conversation_id = $2::uuid and i.status = 'queued')
    end
    and not exists (
      select from jsonb_to_recordset($8::text::jsonb) as x (key text, is_adopted boolean)
      where case
        when x.is_adopted then 'queued' is distinct from (${statusOf} for update)
        else 'taken' = (${statusOf})
      end
    )
    and ($12::text is null or $12::text = (
      select ${openedVersion("a.id", "a.xmin")}
      from grants g join agents a on a.user_id = g.owner_id and a.id = g.agent_id
      where g.user_id = $1 and g.agent_id = conversations.agent_id and g.is_usable
    ))
    and ($13::uuid is null or ${isValidKey("$13::uuid")})`;

const change = `,
      lease_fence = lease_fence + case when $5::int is null then 1 else 0 end,
      lease_holder = case when $5::int is null then $6 else lease_holder end,
      lease_expires_at = now() + $7::float8 * interval '1 millisecond'`;

// The statement also reads the modules' revisions and what searches can find, because a separate query would cost a round
// trip. It does not see the rows that it inserts, so the turn's own messages are not counted.
/**
 * Parameters after $5 (null to take the lease): $6 the new holder, $7 milliseconds that the lease is valid, $8 the inputs, $9
 * the last count of what searches can find, or null, $10 and $11 the terms of the turn, $12 the required `openedVersion` and
 * $13 the required key, each null for none. Returns one row per visible module, or one row with nulls for the module: the
 * fence, the window's version, what searches can find, and the module's label, id, revision and version.
 */
export const beginTurn = `${appendMessages({ lease, change })}, taken as (
  insert into inputs (user_id, agent_id, conversation_id, idempotency_key, status, message_id)
  select $1, agent_id, $2::uuid, x.key, 'taken', x.message_id
  from moved, jsonb_to_recordset($8::text::jsonb) as x (key text, message_id uuid)
  on conflict (user_id, conversation_id, idempotency_key) do update
    set status = 'taken', message_id = excluded.message_id, messages = null, waits_until = null, options = '{}', is_served = false
    where inputs.status = 'queued'
), opened as (
  insert into turns (user_id, id, agent_id, conversation_id, options, is_served, is_background, metadata)
  select $1, ($4::text::jsonb -> 0 ->> 'turnId')::uuid, moved.agent_id, $2::uuid, $10, $11::boolean, ${notesIn("$10::text")} from moved
  on conflict (user_id, id) do nothing
), found as materialized (
  select searchable_memory($1, moved.agent_id, $2::uuid, $9::text::jsonb) as searchable from moved
)
select moved.lease_fence as fence, moved.window_version as "windowVersion", found.searchable, h.label, m.id as "moduleId", m.revision, m.version
from moved
cross join found
join grants g on g.user_id = $1 and g.agent_id = moved.agent_id
left join (
  agent_modules h join modules m on m.user_id = h.owner_id and m.id = h.module_id
) on h.agent_id = g.agent_id and h.user_id in ($1, g.owner_id) and (h.user_id = $1 or h.scope = 'agent')
order by h.position, h.label`;

/**
 * Reads again what `beginTurn` returned, after its commit succeeded and its answer was lost. Returns no row unless this
 * sender committed the start and still holds the lease. $1 user, $2 conversation, $3 the last message of the start, $4 the
 * fence or null, $5 the holder that took the lease or null. Rows have the form of `beginTurn`, with null for what searches
 * can find.
 */
export const readBegun = `
select v.lease_fence as fence, v.window_version as "windowVersion", null as searchable, h.label, m.id as "moduleId", m.revision, m.version
from inputs i
join conversations v on v.user_id = i.user_id and v.id = i.conversation_id
join grants g on g.user_id = $1 and g.agent_id = v.agent_id
left join (
  agent_modules h join modules m on m.user_id = h.owner_id and m.id = h.module_id
) on h.agent_id = g.agent_id and h.user_id in ($1, g.owner_id) and (h.user_id = $1 or h.scope = 'agent')
where i.user_id = $1 and i.conversation_id = $2::uuid and i.status = 'taken' and i.message_id = $3::uuid
  and v.leaf_id = $3::uuid and (v.lease_fence = $4::int or v.lease_holder = $5)
order by h.position, h.label`;
