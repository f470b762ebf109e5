// Inserts the rows of a transfer. Statements that return ids skip existing rows, and return the ids of the new ones.
// Invariant: policies and foreign keys apply as for every other write; a row refers only to rows inserted before it.
import { getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { compactionFields } from "../conversations/compaction-rows.ts";
import { givenRows } from "../own-rows.ts";
import {
  agents,
  compactions,
  conversations,
  messages,
  modules,
  passages,
  revisions,
  sources,
  storedTools,
} from "../schema.ts";
import { messageFields } from "./append-messages.ts";
import { givenTagsAndHash, passageFields, tagsAndHash } from "./add-passages.ts";

/** Returns the statement that inserts the records of a table. $1 user, $2 the records. */
function putting(table: PgTable, fields: string): string {
  const { columns, values, from } = givenRows(table, fields);
  return `
insert into ${getTableName(table)} (user_id, ${columns})
select $1, ${values} from ${from("$2")}
on conflict (user_id, id) do nothing
returning id`;
}

const described = "id description metadata createdAt";

/** `tags` and `metadata` of the records are JSON texts. */
export const putModules = putting(
  modules,
  `${described} label value limit readOnly revision trust lineTrust isKept tags updatedAt`,
);

/** `parameters`, `tags` and `metadata` of the records are JSON texts. */
export const putTools = putting(
  storedTools,
  `${described} name parameters kind source resultLimit requiresApproval tags updatedAt`,
);

/** `metadata` and `extensions` of the records are JSON texts. */
export const putSources = putting(sources, `${described} name extensions`);

/** `tags`, `metadata` and `extensions` of the records are JSON texts. */
export const putAgents = putting(
  agents,
  `${described} name model protocol memoryType systemPrompt settings tags extensions`,
);

const givenRevisions = givenRows(
  revisions,
  "revision agentId before after origin client toolName callId messageId conversationId undoes trust lineTrust external at",
);

/** Inserts revisions of a module. $1 user, $2 module id, $3 the revisions as a JSON list. */
export const putRevisions = `
insert into revisions (user_id, module_id, editor_id, ${givenRevisions.columns})
select $1, $2::uuid, case when g."isByOwner" then $1 end, ${givenRevisions.values}
from ${givenRevisions.from("$3", `, "isByOwner" boolean`)}
on conflict (user_id, module_id, revision) do nothing`;

/** Inserts the owner's grants of agents. $1 user, $2 ids of agents. */
export const putGrants = `
insert into grants (user_id, agent_id, owner_id)
select $1, value::uuid, $1 from jsonb_array_elements_text($2::text::jsonb)`;

/** Three statements that attach modules, tools and sources. $1 user, $2 agents: `id`, `modules`, `tools`, `sources`. */
export const putHoldings: readonly string[] = [
  `
insert into agent_modules (user_id, agent_id, label, owner_id, module_id, position, scope)
select $1, a.id, m.label, $1, m.id, h.number::int - 1, h.item ->> 'scope'
from jsonb_to_recordset($2::text::jsonb) as a (id uuid, modules jsonb)
cross join jsonb_array_elements(a.modules) with ordinality h (item, number)
left join modules m on m.user_id = $1 and m.id = (h.item ->> 'id')::uuid`,
  `
insert into agent_tools (user_id, agent_id, tool_id, requires_approval, created_at)
select $1, a.id, (h.item ->> 'id')::uuid, (h.item ->> 'requiresApproval')::boolean, now() + h.number * interval '1 millisecond'
from jsonb_to_recordset($2::text::jsonb) as a (id uuid, tools jsonb)
cross join jsonb_array_elements(a.tools) with ordinality h (item, number)`,
  `
insert into agent_sources (user_id, agent_id, source_id, created_at)
select $1, a.id, h.item::uuid, now() + h.number * interval '1 millisecond'
from jsonb_to_recordset($2::text::jsonb) as a (id uuid, sources jsonb)
cross join jsonb_array_elements_text(a.sources) with ordinality h (item, number)`,
];

const givenConversations = givenRows(conversations, "id title createdAt updatedAt");

/** Inserts conversations. $1 user, $2 agent, $3 conversations. */
export const putConversations = `
insert into conversations (user_id, agent_id, ${givenConversations.columns})
select $1, $2::uuid, ${givenConversations.values} from ${givenConversations.from("$3")}
on conflict (user_id, id) do nothing
returning id`;

/**
 * $1 user, $2 agent, $3 conversations as a JSON list of `{ id, messages }`, with the ids of their messages. Returns the
 * conversations that have a message in the list that is not stored, and those that belong to another agent.
 */
export const incompleteConversations = `
select c.id from jsonb_to_recordset($3::text::jsonb) as c (id uuid, messages jsonb)
where exists (
    select from jsonb_array_elements_text(c.messages) g
    where not exists (select from messages m where m.user_id = $1 and m.id = g::uuid and m.conversation_id = c.id)
  )
  or not exists (select from conversations v where v.user_id = $1 and v.id = c.id and v.agent_id = $2::uuid)`;

/** Reads and locks a conversation. `isBusy`: whether a process holds its lease. $1 user, $2 conversation. */
export const findTransferred = `
select agent_id as "agentId", leaf_id as "leafId", coalesce(lease_expires_at > now(), false) as "isBusy"
from conversations where user_id = $1 and id = $2::uuid for update`;

/** Returns the parent and the position of each message. $1 user, $2 conversation. */
export const placesOfMessages = `
select id, parent_id as "parentId", position from messages where user_id = $1 and conversation_id = $2::uuid`;

const placed = givenRows(messages, `${messageFields} conversationId position onThread`);

/** Inserts messages. $1 user, $2 agent, $3 messages. */
export const putMessages = `
insert into messages (user_id, agent_id, ${placed.columns})
select $1, $2::uuid, ${placed.values} from ${placed.from("$3")}`;

/** Inserts the tool calls of messages. $1 user, $2 agent, $3 conversation, $4 calls. */
export const putCalls = `
insert into tool_calls (user_id, agent_id, conversation_id, message_id, call_id, position, name, status, result_message_id,
  created_at, settled_at, requested_at, expires_at, requested_arguments, preview, verdict, decided_by, reason, approved_arguments,
  decided_at)
select $1, $2::uuid, $3::uuid, t."messageId", t."callId", t.position, t.name, t.status, t."resultMessageId", t."createdAt",
  t."settledAt", r."requestedAt", r."expiresAt", r.arguments, r.preview, r.verdict, r."decidedBy", r.reason, r."approvedArguments",
  r."decidedAt"
from jsonb_to_recordset($4::text::jsonb) as t ("messageId" uuid, "callId" text, position int, name text, status text,
  "resultMessageId" uuid, "createdAt" timestamptz, "settledAt" timestamptz, request jsonb)
left join lateral jsonb_to_record(nullif(t.request, 'null')) as r ("requestedAt" timestamptz, "expiresAt" timestamptz,
  arguments text, preview text, verdict text, "decidedBy" text, reason text, "approvedArguments" text, "decidedAt" timestamptz)
  on true`;

/**
 * Gives calls their results from the transfer. Changes only calls that had no result in an earlier import, which therefore
 * answered them with message $3. $1 user, $2 conversation, $4 calls.
 */
export const answerClosed = `
update tool_calls c set status = t.status, result_message_id = t."resultMessageId", settled_at = t."settledAt"
from jsonb_to_recordset($4::text::jsonb) as t ("messageId" uuid, "callId" text, status text, "resultMessageId" uuid,
  "settledAt" timestamptz)
where c.user_id = $1 and c.conversation_id = $2::uuid and c.result_message_id = $3::uuid
  and c.message_id = t."messageId" and c.call_id = t."callId"`;

const givenCompactions = givenRows(compactions, `${compactionFields} windowVersion undoneAt at`);

/** Inserts compactions. $1 user, $2 agent, $3 conversation, $4 compactions. */
export const putCompactions = `
insert into compactions (user_id, agent_id, conversation_id, ${givenCompactions.columns})
select $1, $2::uuid, $3::uuid, ${givenCompactions.values} from ${givenCompactions.from("$4")}`;

/** Sets which messages are on the thread. $1 user, $2 conversation, $3 ids of the messages on the thread. */
export const setThread = `
update messages m set on_thread = not m.on_thread
where m.user_id = $1 and m.conversation_id = $2::uuid
  and m.on_thread <> exists (select from jsonb_array_elements_text($3::text::jsonb) t where t::uuid = m.id)`;

/** Sets leaf and versions. $1 user, $2 conversations: `id`, `leafId` or null, its `position`, window `version`, `updatedAt`. */
export const endTransferred = `
update conversations v
set leaf_id = c."leafId", leaf_position = c.position, window_version = greatest(v.window_version, c.version),
  updated_at = greatest(v.updated_at, c."updatedAt")
from jsonb_to_recordset($2::text::jsonb) as c (id uuid, "leafId" uuid, position int, version int, "updatedAt" timestamptz)
where v.user_id = $1 and v.id = c.id`;

const given = givenRows(passages, `${passageFields} accessCount accessedAt`);

/** Inserts passages. $1 user, $2 agent or null, $3 passages, $4 source or null. */
export const putPassages = `
insert into passages (user_id, agent_id, source_id, ${given.columns}, tags, content_hash)
select $1, $2::uuid, $4::uuid, ${given.values}, ${givenTagsAndHash}
from ${given.from("$3", tagsAndHash)}
on conflict do nothing
returning id`;

/** Links passages to their replacements, within one archive only. $1 user, $2 links: `id` and `replacedBy`. */
export const linkPassages = `
update passages p set replaced_by = n.id
from jsonb_to_recordset($2::text::jsonb) as l (id uuid, "replacedBy" uuid) join passages n on n.user_id = $1 and n.id = l."replacedBy"
where p.user_id = $1 and p.id = l.id and p.archive_id = n.archive_id`;
