// Stores conversations: their leaf and their thread.
// Invariant: costs do not depend on the length of a conversation, only on the size of its window.
import { and, eq } from "drizzle-orm";
import { storableJson, storableText } from "../../base/code-points.ts";
import type { ListRange } from "../port/page.ts";
import type {
  ConversationRecord,
  ConversationSummary,
  MemorySnapshot,
  StateEntry,
  ThreadRecord,
} from "../port/records.ts";
import type { ConversationStore, EarlierConversation, LeafMove, LeafMoved, UnfinishedCount } from "../port/store.ts";
import type { Trust } from "../../base/message/message.ts";
import type { Lease } from "../port/turn-store.ts";
import { agentNotFound, grantEnded, requireAgent } from "../agents/agent-access.ts";
import { type ConversationRow, conversationOfRow } from "./conversation-rows.ts";
import {
  conversationNotFound,
  messageNotFound,
  refusedWrite,
  requireConversation,
  requireOpenConversation,
} from "./conversation-faults.ts";
import { sqlStateOf } from "../connection/database-error.ts";
import { forkConversation } from "./fork-conversation.ts";
import { importConversation } from "./import-conversation.ts";
import { readMessage, readMessagePage } from "./message-page.ts";
import { branchesOf, pathTo, placeOf } from "./message-tree.ts";
import { changeInOrder } from "../agents/module-changes.ts";
import { passageOfRow, type PassageRow } from "../archive/passage-rows.ts";
import { conversations, passages, revisions } from "../schema.ts";
import { countUnfinished } from "../sql/count-unfinished.ts";
import { createConversation, findConversation, renameConversation } from "../sql/conversation-rows.ts";
import { earlierConversations } from "../sql/earlier-conversations.ts";
import { listConversations } from "../sql/list-conversations.ts";
import { moveLeaf } from "../sql/move-leaf.ts";
import { readWindow } from "../sql/read-window.ts";
import { lockAllPassages } from "../archive/lock-passages.ts";
import { replaceMessages } from "./replace-messages.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";
import { keysetOf } from "../list-range.ts";
import { timeOf } from "../stored-times.ts";
import { isUuid } from "../uuid.ts";
import { threadOfRow, type WindowRow } from "./window-rows.ts";

/** SQLSTATE of a missing referenced row. */
const foreignKeyViolation = "23503";

export function createConversationStore(context: UserContext): ConversationStore {
  const { userId, transaction, repeatable } = context;
  return {
    create: (created) => create(context, created).catch(refusedCreation),
    import: (imported) => transaction((tx) => importConversation(tx, userId, imported)).catch(refusedCreation),
    find: (conversationId) => find(context, conversationId),
    list: (agentId, range) => repeatable((tx) => list(tx, userId, { agentId, range })),
    earlier: (agentId, conversationId, limit) => earlier(context, { agentId, conversationId, limit }),
    thread: (conversationId) => thread(context, conversationId),
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

/** The foreign key to the grant refuses a conversation if the grant has ended since it was checked. */
function refusedCreation(error: unknown): never {
  throw sqlStateOf(error) === foreignKeyViolation ? grantEnded() : error;
}

async function create(
  { userId, statement, repeatable }: UserContext,
  { id, agentId, title = null }: Parameters<ConversationStore["create"]>[0],
): Promise<ConversationRecord> {
  if (!isUuid(agentId)) throw agentNotFound();
  const stored = title === null ? null : storableText(title);
  const [created] = await statement<ConversationRow>(createConversation, [userId, id, agentId, stored]);
  if (created !== undefined) return conversationOfRow(created);
  return repeatable(async (tx) => {
    await requireAgent(tx, userId, agentId);
    // Created by an earlier attempt whose answer was lost.
    const [found] = await tx.run<ConversationRow>(findConversation, [userId, id]);
    if (found === undefined) throw agentNotFound();
    return conversationOfRow(found);
  });
}

async function find({ userId, statement }: UserContext, conversationId: string): Promise<ConversationRecord | null> {
  if (!isUuid(conversationId)) return null;
  const [found] = await statement<ConversationRow>(findConversation, [userId, conversationId]);
  return found === undefined ? null : conversationOfRow(found);
}

interface SummaryRow extends ConversationRow {
  readonly leaf_position: number;
  readonly preview: string | null;
}

async function list(
  tx: Transaction,
  userId: string,
  { agentId, range }: { readonly agentId: string | null; readonly range: ListRange },
): Promise<readonly ConversationSummary[]> {
  if (agentId !== null && !isUuid(agentId)) return [];
  const { newerThan, olderThan, direction, inOrder } = keysetOf(range);
  const parameters = [userId, agentId, newerThan, olderThan, range.limit];
  const rows = await tx.run<SummaryRow>(listConversations(direction), parameters);
  return inOrder(
    rows.map((row) => ({
      ...conversationOfRow(row),
      messages: row.leaf_position,
      preview: row.preview ?? "",
    })),
  );
}

interface EarlierRow {
  readonly id: string;
  readonly updated_at: string;
  readonly title: string | null;
  readonly text: string | null;
  readonly trust: Trust;
}

async function earlier(
  { userId, statement }: UserContext,
  {
    agentId,
    conversationId,
    limit,
  }: Readonly<Record<"agentId" | "conversationId", string>> & { readonly limit: number },
): Promise<readonly EarlierConversation[]> {
  if (!isUuid(agentId) || !isUuid(conversationId)) return [];
  const rows = await statement<EarlierRow>(earlierConversations, [userId, agentId, conversationId, limit]);
  return rows.flatMap(({ id, updated_at, title, text, trust }) =>
    text === null ? [] : [{ id, at: timeOf(updated_at), title, text, trust }],
  );
}

async function thread({ userId, statement }: UserContext, conversationId: string): Promise<ThreadRecord> {
  const rows = isUuid(conversationId) ? await statement<WindowRow>(readWindow, [userId, conversationId]) : [];
  if (rows[0] === undefined) throw conversationNotFound(conversationId);
  return threadOfRow(rows[0]);
}

interface MoveRow {
  readonly moved: boolean;
  readonly found: boolean;
  readonly agent_id: string | null;
  readonly passages: readonly PassageRow[];
}

async function moveTo(tx: Transaction, userId: string, move: LeafMove & { readonly lease: Lease }): Promise<LeafMoved> {
  const { lease, from, to, changes = [], passages: added = "keep", replacements = [] } = move;
  const { conversationId, fence } = lease;
  if (to !== null && !isUuid(to)) throw messageNotFound();
  if (!isUuid(conversationId)) throw conversationNotFound(conversationId);
  const parameters = [userId, conversationId, from, to, fence, added === "delete"];
  const [done] = await tx.run<MoveRow>(moveLeaf, parameters);
  if (done?.moved && done.agent_id !== null) {
    await replaceMessages(tx, userId, { lease, to, replacements });
    await changeInOrder(tx, { userId, agentId: done.agent_id }, changes, { origin: "user", conversationId });
    return { deletedPassages: done.passages.map(passageOfRow) };
  }
  await requireConversation(tx, userId, conversationId);
  throw done?.found ? await refusedWrite(tx, userId, lease) : messageNotFound();
}

async function rename(
  tx: Transaction,
  userId: string,
  { conversationId, title }: { readonly conversationId: string; readonly title: string | null },
): Promise<ConversationRecord> {
  await requireOpenConversation(tx, userId, conversationId);
  const stored = title === null ? null : storableText(title);
  const [renamed] = await tx.run<ConversationRow>(renameConversation, [userId, conversationId, stored]);
  if (renamed === undefined) throw conversationNotFound(conversationId);
  return conversationOfRow(renamed);
}

async function saveSnapshot(
  tx: Transaction,
  userId: string,
  { lease, snapshot: wanted }: { readonly lease: Lease; readonly snapshot: MemorySnapshot },
): Promise<MemorySnapshot> {
  const { conversationId, fence } = lease;
  if (!isUuid(conversationId)) throw conversationNotFound(conversationId);
  const snapshot = await withHeldSynopsis(tx, userId, wanted);
  const saved = await tx.run(
    `update conversations set memory_snapshot = $4::text::jsonb
     where user_id = $1 and id = $2::uuid and lease_fence = $3::int returning 1`,
    [userId, conversationId, fence, storableJson(snapshot)],
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
  // Waits for a forgetting, which locks the conversations whose entries it looks through.
  const saved = await tx.run(
    `with held as (
       select id from conversations where user_id = $1 and id = $2::uuid and lease_fence = $3::int for update
     )
     update messages m set stated = $5::text::jsonb from held
     where m.user_id = $1 and m.conversation_id = held.id and m.id = $4::uuid returning 1`,
    [userId, conversationId, fence, messageId, storableJson(entry)],
  );
  if (saved.length === 0) throw await refusedWrite(tx, userId, lease);
}

async function withHeldSynopsis(tx: Transaction, userId: string, wanted: MemorySnapshot): Promise<MemorySnapshot> {
  const { synopsis, ...snapshot } = wanted;
  if (synopsis === undefined || (await lockAllPassages(tx, userId, synopsis.passages))) return wanted;
  return snapshot;
}

async function remove(tx: Transaction, userId: string, conversationId: string): Promise<void> {
  if (!isUuid(conversationId)) throw conversationNotFound(conversationId);
  // The conversation first: this waits for a turn that is being committed in it; a later turn finds no conversation.
  const deleted = await tx.tables
    .delete(conversations)
    .where(and(eq(conversations.userId, userId), eq(conversations.id, conversationId)))
    .returning({ id: conversations.id });
  if (deleted.length === 0) throw conversationNotFound(conversationId);
  // Memory outlives the conversation that it came from, and must not reference it.
  await tx.tables
    .update(passages)
    .set({ conversationId: null, messageId: null, callId: null })
    .where(and(eq(passages.userId, userId), eq(passages.conversationId, conversationId)));
  await tx.tables
    .update(revisions)
    .set({ conversationId: null, messageId: null, callId: null })
    .where(and(eq(revisions.userId, userId), eq(revisions.conversationId, conversationId)));
}
