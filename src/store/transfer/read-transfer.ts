// Reads agents for a transfer: what an agent holds, and its conversations and passages in parts.
// Invariant: only the user's own rows are read, except the current texts of modules that other users share. Times are texts
// in ISO 8601 and UTC, independent of the connection's time zone.
import type {
  HeldParts,
  TransferredCompaction,
  TransferredConversation,
  TransferredMessage,
  TransferredModule,
  TransferredPassage,
  TransferredSource,
} from "../port/transfer-store.ts";
import type { ModuleScope } from "../port/records.ts";
import type { AttachedTool } from "../port/stored-tool-store.ts";
import { requireOwnAgent } from "../agents/agent-access.ts";
import { toolsOfAgent } from "../agents/stored-tool-rows.ts";
import type { Transaction } from "../connection/transaction.ts";
import { conversationNotFound } from "../conversations/conversation-faults.ts";
import { idsIn } from "../stored-values.ts";

/** Messages per statement. */
const batchSize = 500;
const smallestId = "00000000-0000-0000-0000-000000000000";

interface ModuleRow {
  readonly scope: ModuleScope;
  readonly module: Omit<TransferredModule, "revisions">;
  readonly revisions: TransferredModule["revisions"];
}

export async function readHeld(tx: Transaction, userId: string, agentId: string): Promise<HeldParts> {
  await requireOwnAgent(tx, userId, agentId);
  const modules = await tx.run<ModuleRow>(modulesToTransfer, [userId, agentId]);
  const tools = await tx.run<AttachedTool>(toolsOfAgent("$1", "$2::uuid"), [userId, agentId]);
  const sources = await tx.run<{ readonly source: TransferredSource }>(sourcesToTransfer, [userId, agentId]);
  // Leaves out the tools of MCP servers: a server is not transferred, because its address contains secrets.
  const attached = tools.filter(({ kind }) => kind !== "mcp");
  return {
    modules: modules.map(({ module, revisions }) => ({ ...module, revisions })),
    tools: attached.map(({ agentRequiresApproval: _own, served: _none, createdAt, updatedAt, ...tool }) => ({
      ...tool,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
    })),
    sources: sources.map(({ source }) => source),
    held: {
      modules: modules.map(({ module: { id }, scope }) => ({ id, scope })),
      tools: attached.map(({ id, agentRequiresApproval: requiresApproval }) => ({ id, requiresApproval })),
      sources: sources.map(({ source: { id } }) => id),
    },
  };
}

export async function readConversation(tx: Transaction, userId: string, id: string): Promise<TransferredConversation> {
  type Row = { readonly conversation: Omit<TransferredConversation, "messages" | "compactions"> };
  const [found] = await tx.run<Row>(conversationToTransfer, [userId, id]);
  if (found === undefined) throw conversationNotFound(id);
  const messages = await readMessages(tx, userId, id);
  const compactions = await tx.run<{ readonly compaction: TransferredCompaction }>(compactionsToTransfer, [userId, id]);
  return { ...found.conversation, messages, compactions: compactions.map(({ compaction }) => compaction) };
}

async function readMessages(tx: Transaction, userId: string, conversationId: string): Promise<TransferredMessage[]> {
  const messages: TransferredMessage[] = [];
  let last = { position: 0, id: smallestId };
  for (;;) {
    type Row = { readonly position: number; readonly message: TransferredMessage };
    const parameters = [userId, conversationId, last.position, last.id, batchSize];
    const rows = await tx.run<Row>(messagesToTransfer, parameters);
    for (const { message } of rows) messages.push(message);
    const end = rows.at(-1);
    if (end === undefined || rows.length < batchSize) return messages;
    last = { position: end.position, id: end.message.id };
  }
}

export async function readPassages(
  tx: Transaction,
  userId: string,
  request: { readonly agentId: string; readonly after: string | null; readonly limit: number },
): Promise<readonly TransferredPassage[]> {
  const { agentId, after, limit } = request;
  await requireOwnAgent(tx, userId, agentId);
  const rows = await tx.run<{ readonly passage: TransferredPassage }>(passagesToTransfer, [
    userId,
    agentId,
    after,
    limit,
  ]);
  return rows.map(({ passage }) => passage);
}

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

/** Returns the agent's modules in order. A module of another user has no revisions. $1 user, $2 agent. */
const modulesToTransfer = `
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

/** Returns the sources that the agent searches, with their files and the passages of these. $1 user, $2 agent. */
const sourcesToTransfer = `
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

/** Returns a conversation as JSON, without its messages. $1 user, $2 conversation. */
const conversationToTransfer = `
select jsonb_build_object('id', v.id, 'title', v.title, 'leafId', v.leaf_id, 'createdAt', ${iso("v.created_at")},
  'updatedAt', ${iso("v.updated_at")}) as conversation
from conversations v where v.user_id = $1 and v.id = $2::uuid`;

const request = `case when t.requested_at is null then null else jsonb_build_object('requestedAt', ${iso("t.requested_at")},
  'expiresAt', ${iso("t.expires_at")}, 'arguments', t.requested_arguments, 'preview', t.preview, 'verdict', t.verdict,
  'decidedBy', t.decided_by, 'reason', t.reason, 'approvedArguments', t.approved_arguments, 'decidedAt', ${iso("t.decided_at")}) end`;

/**
 * Returns messages with their calls, by position. $1 user, $2 conversation, $3 and $4 position and id of the last read message,
 * $5 limit.
 */
const messagesToTransfer = `
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

/** $1 user, $2 conversation. Returns compactions in the order in which they were made. */
const compactionsToTransfer = `
select jsonb_build_object('id', c.id, 'windowVersion', c.window_version, 'strategy', c.strategy,
  'fromPosition', c.from_position, 'throughPosition', c.through_position, 'throughId', c.through_id, 'summary', c.summary,
  'threadMessages', c.thread_messages, 'rangeTokens', c.range_tokens, 'tokensBefore', c.tokens_before,
  'tokensAfter', c.tokens_after, 'model', c.model, 'usage', jsonb_build_object('inputTokens', c.input_tokens,
    'outputTokens', c.output_tokens, 'cachedInputTokens', c.cached_input_tokens), 'dollars', c.dollars, 'focus', c.focus,
  'trust', c.trust, 'undoneAt', ${iso("c.undone_at")}, 'at', ${iso("c.created_at")}) as compaction
from compactions c where c.user_id = $1 and c.conversation_id = $2::uuid
order by c.window_version, c.from_position, c.id`;

/** Returns passages of an agent's archive, by id. $1 user, $2 agent, $3 the id of the last read passage, $4 limit. */
const passagesToTransfer = `
select ${passage} as passage
from passages p
where p.user_id = $1 and p.agent_id = $2::uuid and ($3::uuid is null or p.id > $3::uuid)
order by p.id
limit $4::int`;

/** $1 user, $2 ids. Returns which of these ids are taken by rows of the user. */
export const idsInUse = `
with given as (select value::uuid as id from (${idsIn("$2")}) i)
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
