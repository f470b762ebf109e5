// Inserts the rows of a transfer. Each statement skips rows that are there, and returns the ids of those that it inserted.
// Invariant: policies and foreign keys decide as for every other write; a row names only what was inserted before it.

/** $1 user, $2 modules as JSON; their `tags` and `metadata` are JSON texts. */
export const putModules = `
insert into modules (user_id, id, label, description, value, max_length, read_only, revision, trust, line_trust, is_kept, tags,
  metadata, created_at, updated_at)
select $1, m.id, m.label, m.description, m.value, m."limit", m."readOnly", m.revision, m.trust, m."lineTrust", m."isKept", m.tags,
  m.metadata, m."createdAt", m."updatedAt"
from jsonb_to_recordset($2::text::jsonb) as m (id uuid, label text, description text, value text, "limit" int, "readOnly" boolean,
  revision int, trust text, "lineTrust" jsonb, "isKept" boolean, tags text, metadata text, "createdAt" timestamptz, "updatedAt" timestamptz)
on conflict (user_id, id) do nothing
returning id`;

/** $1 user, $2 modules with their revisions as JSON. */
export const putRevisions = `
insert into revisions (user_id, module_id, revision, editor_id, agent_id, before, after, origin, client, tool_name, call_id,
  message_id, conversation_id, undoes, trust, line_trust, external, created_at)
select $1, m.id, r.revision, case when r."isByOwner" then $1 end, r."agentId", r.before, r.after, r.origin, r.client, r."toolName",
  r."callId", r."messageId", r."conversationId", r.undoes, r.trust, r."lineTrust", r.external, r.at
from jsonb_to_recordset($2::text::jsonb) as m (id uuid, revisions jsonb)
cross join jsonb_to_recordset(m.revisions) as r (revision int, before text, after text, origin text, client text, "isByOwner" boolean,
  "agentId" uuid, "toolName" text, "callId" text, "messageId" uuid, "conversationId" uuid, undoes int, trust text, "lineTrust" jsonb, external jsonb,
  at timestamptz)
on conflict (user_id, module_id, revision) do nothing`;

/** $1 user, $2 tools as JSON; their `parameters`, `tags` and `metadata` are JSON texts. */
export const putTools = `
insert into stored_tools (user_id, id, name, description, parameters, kind, source, result_limit, requires_approval, tags, metadata,
  created_at, updated_at)
select $1, t.id, t.name, t.description, t.parameters, t.kind, t.source, t."resultLimit", t."requiresApproval", t.tags,
  t.metadata, t."createdAt", t."updatedAt"
from jsonb_to_recordset($2::text::jsonb) as t (id uuid, name text, description text, parameters text, kind text, source text,
  "resultLimit" int, "requiresApproval" boolean, tags text, metadata text, "createdAt" timestamptz, "updatedAt" timestamptz)
on conflict (user_id, id) do nothing
returning id`;

/** $1 user, $2 sources as JSON; `metadata` and `extensions` are JSON texts. */
export const putSources = `
insert into sources (user_id, id, name, description, metadata, extensions, created_at)
select $1, s.id, s.name, s.description, s.metadata, s.extensions, s."createdAt"
from jsonb_to_recordset($2::text::jsonb) as s (id uuid, name text, description text, metadata text, extensions text,
  "createdAt" timestamptz)
on conflict (user_id, id) do nothing
returning id`;

/** $1 user, $2 agents as JSON. `settings`, `tags`, `metadata` and `extensions` are JSON texts. */
export const putAgents = `
insert into agents (user_id, id, name, model, protocol, memory_type, system_prompt, settings, description, tags, metadata,
  extensions, created_at)
select $1, a.id, a.name, a.model, a.protocol, a."memoryType", a."systemPrompt", a.settings::jsonb, a.description, a.tags,
  a.metadata, a.extensions, a."createdAt"
from jsonb_to_recordset($2::text::jsonb) as a (id uuid, name text, model text, protocol text, "memoryType" text,
  "systemPrompt" text, settings text, description text, tags text, metadata text, extensions text, "createdAt" timestamptz)
on conflict (user_id, id) do nothing
returning id`;

/** $1 user, $2 ids of agents as a JSON array. */
export const putGrants = `
insert into grants (user_id, agent_id, owner_id)
select $1, value::uuid, $1 from jsonb_array_elements_text($2::text::jsonb)`;

/** $1 user, $2 agents as JSON: `id`, `modules`, `tools` and `sources`. Three statements, in this order of the lists. */
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

/** $1 user, $2 agent, $3 conversations as JSON: `id`, `title`, `createdAt` and `updatedAt`. */
export const putConversations = `
insert into conversations (user_id, id, agent_id, title, created_at, updated_at)
select $1, c.id, $2::uuid, c.title, c."createdAt", c."updatedAt"
from jsonb_to_recordset($3::text::jsonb) as c (id uuid, title text, "createdAt" timestamptz, "updatedAt" timestamptz)
on conflict (user_id, id) do nothing
returning id`;

/**
 * $1 user, $2 agent, $3 conversations as JSON: `id` and `messages`, the ids of their messages. Returns those that lack a message, and
 * those of another agent.
 */
export const incompleteConversations = `
select c.id from jsonb_to_recordset($3::text::jsonb) as c (id uuid, messages jsonb)
where exists (
    select from jsonb_array_elements_text(c.messages) g
    where not exists (select from messages m where m.user_id = $1 and m.id = g::uuid and m.conversation_id = c.id)
  )
  or not exists (select from conversations v where v.user_id = $1 and v.id = c.id and v.agent_id = $2::uuid)`;

/** $1 user, $2 conversation. Locks it; `isBusy`: a process holds its lease. */
export const findTransferred = `
select agent_id, leaf_id, coalesce(lease_expires_at > now(), false) as is_busy
from conversations where user_id = $1 and id = $2::uuid for update`;

/** $1 user, $2 conversation. */
export const placesOfMessages = `
select id, parent_id, position from messages where user_id = $1 and conversation_id = $2::uuid`;

/** $1 user, $2 agent, $3 messages as JSON. */
export const putMessages = `
insert into messages (user_id, id, agent_id, conversation_id, parent_id, turn_id, position, author, role, speaker, kind, status,
  content, text, search_text, terms, tokens, trust, on_thread, created_at)
select $1, m.id, $2::uuid, m.conversation_id, m.parent_id, m.turn_id, m.position, m.author, m.role, m.speaker, m.kind, m.status,
  m.content, m.text, m.search_text, m.terms::tsvector, m.tokens, m.trust, m.on_thread, m.created_at
from jsonb_to_recordset($3::text::jsonb) as m (id uuid, conversation_id uuid, parent_id uuid, turn_id uuid, position int, author text, role text,
  speaker text, kind text, status text, content jsonb, text text, search_text text, terms text, tokens int, trust text,
  on_thread boolean, created_at timestamptz)`;

/** $1 user, $2 agent, $3 conversation, $4 calls as JSON. */
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

/** $1 user, $2 agent, $3 conversation, $4 compactions as JSON. */
export const putCompactions = `
insert into compactions (user_id, id, agent_id, conversation_id, window_version, strategy, from_position, through_id,
  through_position, summary, thread_messages, range_tokens, tokens_before, tokens_after, model, input_tokens, output_tokens,
  cached_input_tokens, dollars, focus, trust, undone_at, created_at)
select $1, c.id, $2::uuid, $3::uuid, c."windowVersion", c.strategy, c."fromPosition", c."throughId", c."throughPosition",
  c.summary, c."threadMessages", c."rangeTokens", c."tokensBefore", c."tokensAfter", c.model, (c.usage ->> 'inputTokens')::int,
  (c.usage ->> 'outputTokens')::int, (c.usage ->> 'cachedInputTokens')::int, c.dollars, c.focus, c.trust, c."undoneAt", c.at
from jsonb_to_recordset($4::text::jsonb) as c (id uuid, "windowVersion" int, strategy text, "fromPosition" int, "throughId" uuid,
  "throughPosition" int, summary text, "threadMessages" int, "rangeTokens" int, "tokensBefore" int, "tokensAfter" int, model text,
  usage jsonb, dollars float8, focus text, trust text, "undoneAt" timestamptz, at timestamptz)`;

/** $1 user, $2 conversation, $3 ids of the messages on the thread as a JSON array. */
export const setThread = `
update messages m set on_thread = not m.on_thread
where m.user_id = $1 and m.conversation_id = $2::uuid
  and m.on_thread <> exists (select from jsonb_array_elements_text($3::text::jsonb) t where t::uuid = m.id)`;

/** $1 user, $2 conversations as JSON: `id`, `leafId` or null, its `position`, the window's `version`, and `updatedAt`. */
export const endTransferred = `
update conversations v
set leaf_id = c."leafId", leaf_position = c.position, window_version = greatest(v.window_version, c.version),
  updated_at = greatest(v.updated_at, c."updatedAt")
from jsonb_to_recordset($2::text::jsonb) as c (id uuid, "leafId" uuid, position int, version int, "updatedAt" timestamptz)
where v.user_id = $1 and v.id = c.id`;

/** $1 user, $2 agent or null, $3 passages as JSON, $4 source or null. */
export const putPassages = `
insert into passages (user_id, id, agent_id, source_id, conversation_id, message_id, call_id, kind, tags, origin, trust, external, content,
  search_text, terms, content_hash, importance, access_count, accessed_at, created_at)
select $1, p.id, $2::uuid, $4::uuid, p.conversation_id, p.message_id, p.call_id, p.kind, array(select jsonb_array_elements_text(p.tags)),
  p.origin, p.trust, p.external, p.content, p.search_text, p.terms::tsvector, decode(p.content_hash, 'hex'), p.importance,
  p.access_count, p.accessed_at, p.created_at
from jsonb_to_recordset($3::text::jsonb) as p (id uuid, conversation_id uuid, message_id uuid, call_id text, kind text, tags jsonb,
  origin text, trust text, external jsonb, content text, search_text text, terms text, content_hash text, importance float8,
  access_count int, accessed_at timestamptz, created_at timestamptz)
on conflict do nothing
returning id`;

/** $1 user, $2 links between passages as JSON: `id` and `replacedBy`. Skips those to a passage that is not in the same archive. */
export const linkPassages = `
update passages p set replaced_by = n.id
from jsonb_to_recordset($2::text::jsonb) as l (id uuid, "replacedBy" uuid) join passages n on n.user_id = $1 and n.id = l."replacedBy"
where p.user_id = $1 and p.id = l.id and p.archive_id = n.archive_id`;
