// Stores conversations: their leaf and their thread.
// Invariant: costs do not depend on the length of a conversation, only on the size of its window.
import { eq, and } from "drizzle-orm";
import { agentNotFound, grantEnded, requireAgent } from "../agents/agent-access.ts";
import { lockAllPassages } from "../archive/synopsis-store.ts";
import type { UserContext } from "../connection/database.ts";
import { sqlStateOf } from "../connection/database-error.ts";
import type { Transaction } from "../connection/transaction.ts";
import { createOwnRows } from "../own-rows.ts";
import { type Direction, inRange, rowsInRange } from "../pages.ts";
import type { ConversationRecord, MemorySnapshot, StateEntry } from "../port/records.ts";
import type {
  ConversationSummary,
  ConversationStore,
  EarlierConversation,
  UnfinishedCount,
} from "../port/conversation-store.ts";
import type { Lease } from "../port/turn-store.ts";
import { conversations, passages, revisions } from "../schema.ts";
import { firstWords } from "../sql/first-words.ts";
import { conversationNotFound, refusedWrite, requireOpenConversation } from "./conversation-faults.ts";
import { conversationColumns, readWindow, threadOfRow, type WindowRow } from "./conversation-rows.ts";
import { forkConversation } from "./fork-conversation.ts";
import { importConversation } from "./import-conversation.ts";
import { readMessage, readMessagePage } from "./message-page.ts";
import { branchesOf, pathTo, placeOf } from "./message-tree.ts";
import { moveTo } from "./move-leaf.ts";

/** SQLSTATE of a missing referenced row. */
const foreignKeyViolation = "23503";

export function createConversationStore(context: UserContext): ConversationStore {
  const { userId, transaction, repeatable, statement } = context;
  return {
    create: (created) => create(context, created).catch(refusedCreation),
    import: (imported) => transaction((tx) => importConversation(tx, userId, imported)).catch(refusedCreation),
    find: async (conversationId) =>
      (await statement<ConversationRecord>(findConversation, [userId, conversationId]))[0] ?? null,
    list: (agentId, range) =>
      rowsInRange<ConversationSummary>(statement, {
        range,
        statement: listConversations,
        parameters: [userId, agentId],
      }),
    earlier: async (agentId, conversationId, limit) => {
      const parameters = [userId, agentId, conversationId, limit];
      const rows = await statement<EarlierConversation | { readonly text: null }>(earlierConversations, parameters);
      return rows.filter((row) => row.text !== null);
    },
    thread: async (conversationId) => {
      const [window] = await statement<WindowRow>(readWindow, [userId, conversationId]);
      if (window === undefined) throw conversationNotFound(conversationId);
      return threadOfRow(window);
    },
    branches: (conversationId) => repeatable((tx) => branchesOf(tx, userId, conversationId)),
    place: (conversationId, messageId) => repeatable((tx) => placeOf(tx, userId, { conversationId, messageId })),
    path: (conversationId, request) => repeatable((tx) => pathTo(tx, userId, { conversationId, ...request })),
    page: (conversationId, request) => repeatable((tx) => readMessagePage(tx, userId, { conversationId, ...request })),
    message: (messageId) => repeatable((tx) => readMessage(tx, userId, messageId)),
    rename: (conversationId, title) => repeatable((tx) => rename(tx, userId, { conversationId, title })),
    moveLeaf: (lease, move) => transaction((tx) => moveTo(tx, userId, { lease, ...move })),
    saveSnapshot: (lease, snapshot) => repeatable((tx) => saveSnapshot(tx, userId, { lease, snapshot })),
    saveEntry: (lease, messageId, entry) => repeatable((tx) => saveEntry(tx, userId, { lease, messageId, entry })),
    fork: (fork) => transaction((tx) => forkConversation(tx, userId, fork)),
    delete: (conversationId) => transaction((tx) => remove(tx, userId, conversationId)),
    countUnfinished: () =>
      transaction(async (tx) => {
        const [row] = await tx.run<UnfinishedCount>(countUnfinished, [userId]);
        return row!;
      }),
  };
}

/** Throws `grant_ended` if the foreign key to the grant refused a conversation: the grant has ended since it was checked. */
function refusedCreation(error: unknown): never {
  throw sqlStateOf(error) === foreignKeyViolation ? grantEnded() : error;
}

async function create(
  { userId, statement, repeatable }: UserContext,
  { id, agentId, title = null }: Parameters<ConversationStore["create"]>[0],
): Promise<ConversationRecord> {
  const [created] = await statement<ConversationRecord>(createConversation, [userId, id, agentId, title]);
  if (created !== undefined) return created;
  return repeatable(async (tx) => {
    await requireAgent(tx, userId, agentId);
    // The id is taken if an earlier attempt created this conversation and its answer was lost: return that conversation.
    const [found] = await tx.run<ConversationRecord>(findConversation, [userId, id]);
    if (found === undefined) throw agentNotFound();
    return found;
  });
}

async function rename(
  tx: Transaction,
  userId: string,
  { conversationId, title }: { readonly conversationId: string; readonly title: string | null },
): Promise<ConversationRecord> {
  await requireOpenConversation(tx, userId, conversationId);
  const [renamed] = await tx.run<ConversationRecord>(renameConversation, [userId, conversationId, title]);
  if (renamed === undefined) throw conversationNotFound(conversationId);
  return renamed;
}

async function saveSnapshot(
  tx: Transaction,
  userId: string,
  { lease, snapshot: wanted }: { readonly lease: Lease; readonly snapshot: MemorySnapshot },
): Promise<MemorySnapshot> {
  const { conversationId, fence } = lease;
  const snapshot = await withHeldSynopsis(tx, userId, wanted);
  const saved = await tx.run(
    `update conversations set memory_snapshot = $4::text::jsonb
     where user_id = $1 and id = $2::uuid and lease_fence = $3::int returning 1`,
    [userId, conversationId, fence, snapshot],
  );
  if (saved.length === 0) throw await refusedWrite(tx, userId, lease);
  await tx.run(
    `update messages set stated =
       case when stated -> 'reported' is not null then jsonb_build_object('reported', stated -> 'reported') end
     where user_id = $1 and conversation_id = $2::uuid and stated is not null`,
    [userId, conversationId],
  );
  return snapshot;
}

interface EntryToSave {
  readonly lease: Lease;
  readonly messageId: string;
  readonly entry: StateEntry;
}

async function saveEntry(tx: Transaction, userId: string, { lease, messageId, entry }: EntryToSave): Promise<void> {
  const { conversationId, fence } = lease;
  // `for update` waits for a forgetting, because a forgetting locks the conversations whose state entries it searches.
  const saved = await tx.run(
    `with held as (
       select id from conversations where user_id = $1 and id = $2::uuid and lease_fence = $3::int for update
     )
     update messages m set stated = $5::text::jsonb from held
     where m.user_id = $1 and m.conversation_id = held.id and m.id = $4::uuid returning 1`,
    [userId, conversationId, fence, messageId, entry],
  );
  if (saved.length === 0) throw await refusedWrite(tx, userId, lease);
}

async function withHeldSynopsis(tx: Transaction, userId: string, wanted: MemorySnapshot): Promise<MemorySnapshot> {
  const { synopsis, ...snapshot } = wanted;
  if (synopsis === undefined || (await lockAllPassages(tx, userId, synopsis.passages))) return wanted;
  return snapshot;
}

async function remove(tx: Transaction, userId: string, conversationId: string): Promise<void> {
  // The conversation is deleted first: this waits for a commit in progress, and no later turn can add references to it.
  const isDeleted = await createOwnRows(conversations, userId).delete(tx, conversationId);
  if (!isDeleted) throw conversationNotFound(conversationId);
  // Passages and revisions outlive the conversation that they came from, and must not reference it.
  await tx.tables
    .update(passages)
    .set({ conversationId: null, messageId: null, callId: null })
    .where(and(eq(passages.userId, userId), eq(passages.conversationId, conversationId)));
  await tx.tables
    .update(revisions)
    .set({ conversationId: null, messageId: null, callId: null })
    .where(and(eq(revisions.userId, userId), eq(revisions.conversationId, conversationId)));
}

/** $1 user, $2 id, $3 agent, $4 title or null. Returns no row if the user may not use the agent, or if the id is taken. */
const createConversation = `
insert into conversations (user_id, id, agent_id, title)
select g.user_id, $2::uuid, g.agent_id, $4::text
from grants g where g.user_id = $1 and g.agent_id = $3::uuid and g.is_usable
on conflict do nothing
returning ${conversationColumns}`;

/** Returns a conversation. $1 user, $2 id. */
const findConversation = `
select ${conversationColumns} from conversations where user_id = $1 and id = $2::uuid`;

/** Sets or removes the title of a conversation. $1 user, $2 id, $3 title or null. */
const renameConversation = `
update conversations set title = $3 where user_id = $1 and id = $2::uuid
returning ${conversationColumns}`;

/**
 * Statement for `rowsInRange`, ordered by last use. Further parameter: $5 agent, null for all. The number of messages is the
 * leaf's position, so nothing is counted; the preview is from the user's first message on the thread.
 */
function listConversations(direction: Direction): string {
  const by = ["v.updated_at", "v.id"];
  const of = (id: string) => `(select c.updated_at, c.id from conversations c where c.user_id = $1 and c.id = ${id})`;
  return `
select v.*, coalesce(first.preview, '') as preview
from (
  select ${conversationColumns}, leaf_position as messages
  from conversations v
  where v.user_id = $1 and ($5::uuid is null or v.agent_id = $5::uuid)
    ${inRange({ by, of, direction })}
) v
left join lateral (
  select left(m.text, 200) as preview
  from messages m
  where m.user_id = $1 and m.conversation_id = v.id and m.on_thread and m.role = 'user' and m.kind = 'message'
  order by m.position
  limit 1
) first on true
order by v."updatedAt" ${direction}, v.id ${direction}`;
}

/** Maximum code points of the text that says what an earlier conversation was about. */
const maxText = 160;

/**
 * Returns what the last conversations were about, newest first. $1 user, $2 agent, $3 the conversation to leave out, $4
 * limit. External texts are left out: one such text in the prompt of a new conversation would give the trust class `external`
 * to all that the agent writes. The summary is the newest one on the thread.
 */
const earlierConversations = `
select v.id, v.updated_at as at, case when f.trust <> 'external' then v.title end as title,
  coalesce(s.text, case when f.trust <> 'external' then f.text end) as text,
  case when s.text is null then f.trust else s.trust end as trust
from (
  select v.id, v.title, v.updated_at
  from conversations v
  where v.user_id = $1 and v.agent_id = $2::uuid and v.id <> $3::uuid and v.leaf_id is not null
  order by v.updated_at desc, v.id desc
  limit $4::int
) v
${firstWords("v.id", { codePoints: maxText })}
left join lateral (
  select left(c.summary, ${maxText}) as text, c.trust
  from compactions c
  join messages m on m.user_id = $1 and m.id = c.through_id and m.on_thread
  where c.user_id = $1 and c.conversation_id = v.id and c.undone_at is null and c.summary <> '' and c.trust <> 'external'
  order by c.through_position desc, c.window_version desc
  limit 1
) s on true
order by v.updated_at desc, v.id desc`;

/**
 * Counts unfinished work of interrupted turns in open conversations: inputs without a reply, calls without a result. $1 user.
 * Messages off the thread (after `/pop`, for example) are not resumed, and not counted. A conversation whose leaf is a tool
 * result waits for the model in the native protocol; in the heartbeat protocol, a turn may end with a tool result.
 */
const countUnfinished = `
select (
    select count(*)::int
    from conversations v
    join messages m on m.user_id = v.user_id and m.id = v.leaf_id
    join grants g on g.user_id = v.user_id and g.agent_id = v.agent_id
    join agents a on a.user_id = g.owner_id and a.id = g.agent_id
    where v.user_id = $1 and v.is_open
      and ((m.role = 'user' and m.kind <> 'event') or (m.role = 'tool' and a.protocol = 'native')
        or exists (select from tool_calls c where c.user_id = $1 and c.message_id = m.id and c.status = 'pending'))
  ) as conversations, (
    select count(*)::int
    from tool_calls c
    join messages m on m.user_id = c.user_id and m.id = c.message_id
    join conversations v on v.user_id = c.user_id and v.id = c.conversation_id and v.is_open
    where c.user_id = $1 and c.status = 'pending' and m.on_thread
  ) as calls`;
