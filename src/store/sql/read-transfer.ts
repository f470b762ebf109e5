// Reads what a transfer contains, as JSON in the form of the port: modules with revisions, conversations with all branches.
// Invariant: times are texts in ISO 8601, whatever the time zone of the session is.

function iso(moment: string): string {
  return `to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

const revision = `jsonb_build_object('revision', r.revision, 'before', r.before, 'after', r.after, 'origin', r.origin, 'client', r.client,
  'isByOwner', coalesce(r.editor_id = r.user_id, false), 'agentId', r.agent_id, 'toolName', r.tool_name, 'callId', r.call_id,
  'messageId', r.message_id, 'conversationId', r.conversation_id, 'undoes', r.undoes, 'trust', r.trust, 'lineTrust', r.line_trust,
  'external', r.external, 'at', ${iso("r.created_at")})`;

const passage = `jsonb_build_object('id', p.id, 'text', p.content, 'tags', p.tags, 'kind', p.kind, 'origin', p.origin,
  'trust', p.trust, 'external', p.external, 'importance', p.importance, 'conversationId', p.conversation_id,
  'messageId', p.message_id, 'callId', p.call_id, 'accessCount', p.access_count, 'accessedAt', ${iso("p.accessed_at")},
  'replacedBy', p.replaced_by, 'at', ${iso("p.created_at")})`;

/** $1 user, $2 agent. One row for each module that the user holds with the agent, in order; those of others without revisions. */
export const modulesToTransfer = `
select h.scope, jsonb_build_object('id', m.id, 'label', h.label, 'description', m.description, 'value', m.value,
  'limit', m.max_length, 'readOnly', m.read_only, 'trust', case when m.user_id = $1 then m.trust else 'external' end,
  'lineTrust', case when m.user_id = $1 then m.line_trust end, 'isKept', m.is_kept, 'tags', m.tags::jsonb, 'metadata', m.metadata::jsonb, 'createdAt', ${iso("m.created_at")},
  'updatedAt', ${iso("m.updated_at")}, 'revision', case when m.user_id = $1 then m.revision else 0 end) as module,
  (
    select coalesce(jsonb_agg(${revision} order by r.revision), '[]')
    from revisions r where r.user_id = $1 and m.user_id = $1 and r.module_id = m.id
  ) as revisions
from agent_modules h join modules m on m.user_id = h.owner_id and m.id = h.module_id
where h.user_id = $1 and h.agent_id = $2::uuid
order by h.position, h.label`;

/** $1 user, $2 agent. One row for each source that the agent searches, with its files and their passages. */
export const sourcesToTransfer = `
select jsonb_build_object('id', s.id, 'name', s.name, 'description', s.description, 'metadata', s.metadata::jsonb,
  'extensions', s.extensions::jsonb, 'createdAt', ${iso("s.created_at")}, 'passages', (
    select coalesce(jsonb_agg(${passage} order by p.id), '[]')
    from passages p where p.user_id = $1 and p.source_id = s.id and p.file_id is null
  ),
  'files', (
    select coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'path', f.path, 'kind', f.kind, 'bytes', f.size,
      'sha256', encode(f.content_hash, 'hex'), 'reason', f.reason, 'loadedAt', ${iso("f.loaded_at")}, 'passages', (
        select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'text', p.content, 'place', p.place) order by p.id), '[]')
        from passages p where p.user_id = $1 and p.file_id = f.id
      )) order by f.path), '[]')
    from source_files f where f.user_id = $1 and f.source_id = s.id
  )) as source
from agent_sources l join sources s on s.user_id = l.user_id and s.id = l.source_id
where l.user_id = $1 and l.agent_id = $2::uuid
order by l.created_at, s.id`;

/** $1 user, $2 conversation. One row, or none. */
export const conversationToTransfer = `
select jsonb_build_object('id', v.id, 'title', v.title, 'leafId', v.leaf_id, 'createdAt', ${iso("v.created_at")},
  'updatedAt', ${iso("v.updated_at")}) as conversation
from conversations v where v.user_id = $1 and v.id = $2::uuid`;

const request = `case when t.requested_at is null then null else jsonb_build_object('requestedAt', ${iso("t.requested_at")},
  'expiresAt', ${iso("t.expires_at")}, 'arguments', t.requested_arguments, 'preview', t.preview, 'verdict', t.verdict,
  'decidedBy', t.decided_by, 'reason', t.reason, 'approvedArguments', t.approved_arguments, 'decidedAt', ${iso("t.decided_at")}) end`;

/** $1 user, $2 conversation, $3 and $4 the position and the id of the last message that was read, $5 limit. By position. */
export const messagesToTransfer = `
select m.position, jsonb_build_object('id', m.id, 'parentId', m.parent_id, 'turnId', m.turn_id, 'role', m.role,
  'speaker', m.speaker, 'kind', m.kind, 'status', m.status, 'content', m.content, 'text', m.text, 'tokens', m.tokens,
  'trust', m.trust, 'isRecalled', m.search_text is not null, 'at', ${iso("m.created_at")}, 'calls', (
    select coalesce(jsonb_agg(jsonb_build_object('callId', t.call_id, 'name', t.name, 'status', t.status,
      'resultMessageId', t.result_message_id, 'createdAt', ${iso("t.created_at")}, 'settledAt', ${iso("t.settled_at")},
      'request', ${request}) order by t.position), '[]')
    from tool_calls t where t.user_id = $1 and t.message_id = m.id
  )) as message
from messages m
where m.user_id = $1 and m.conversation_id = $2::uuid and (m.position, m.id) > ($3::int, $4::uuid)
order by m.position, m.id
limit $5::int`;

/** $1 user, $2 conversation. In the order in which they were made. */
export const compactionsToTransfer = `
select jsonb_build_object('id', c.id, 'windowVersion', c.window_version, 'strategy', c.strategy,
  'fromPosition', c.from_position, 'throughPosition', c.through_position, 'throughId', c.through_id, 'summary', c.summary,
  'threadMessages', c.thread_messages, 'rangeTokens', c.range_tokens, 'tokensBefore', c.tokens_before,
  'tokensAfter', c.tokens_after, 'model', c.model, 'usage', jsonb_build_object('inputTokens', c.input_tokens,
    'outputTokens', c.output_tokens, 'cachedInputTokens', c.cached_input_tokens), 'dollars', c.dollars, 'focus', c.focus,
  'trust', c.trust, 'undoneAt', ${iso("c.undone_at")}, 'at', ${iso("c.created_at")}) as compaction
from compactions c where c.user_id = $1 and c.conversation_id = $2::uuid
order by c.window_version, c.from_position, c.id`;

/** $1 user, $2 agent, $3 the id of the last passage that was read, $4 limit. */
export const passagesToTransfer = `
select ${passage} as passage
from passages p
where p.user_id = $1 and p.agent_id = $2::uuid and ($3::uuid is null or p.id > $3::uuid)
order by p.id
limit $4::int`;

/** $1 user, $2 ids as a JSON array. Rows: those that a row of the user's has. */
export const idsInUse = `
with given as (select value::uuid as id from jsonb_array_elements_text($2::text::jsonb))
select g.id from given g
where exists (select from agents x where x.user_id = $1 and x.id = g.id)
  or exists (select from grants x where x.user_id = $1 and x.agent_id = g.id)
  or exists (select from offers x where x.user_id = $1 and x.agent_id = g.id)
  or exists (select from modules x where x.user_id = $1 and x.id = g.id)
  or exists (select from stored_tools x where x.user_id = $1 and x.id = g.id)
  or exists (select from sources x where x.user_id = $1 and x.id = g.id)
  or exists (select from source_files x where x.user_id = $1 and x.id = g.id)
  or exists (select from conversations x where x.user_id = $1 and x.id = g.id)
  or exists (select from messages x where x.user_id = $1 and x.id = g.id)
  or exists (select from compactions x where x.user_id = $1 and x.id = g.id)
  or exists (select from attachments x where x.user_id = $1 and x.id = g.id)
  or exists (select from passages x where x.user_id = $1 and x.id = g.id)`;
