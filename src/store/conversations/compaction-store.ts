// Stores compactions: which messages left a conversation's window, their summaries, and how to undo them.
// Invariant: the chain in the window covers every message before it once, whatever was undone and wherever the leaf is
// moved: a compaction is undone with all later ones, so none ever builds on an undone one.
import { largest } from "../../base/lists.ts";
import { RequestError } from "../../base/errors.ts";
import type { CompactionStore, PositionRange } from "../port/compaction-store.ts";
import type { CompactionRecord, StoredMessage } from "../port/records.ts";
import type { Lease } from "../port/turn-store.ts";
import { compactionOfRow, type CompactionRow, compactionsAsJson } from "./compaction-rows.ts";
import { conversationNotFound, messageNotFound, refusedWrite, requireConversation } from "./conversation-faults.ts";
import { type MessageRow, messageOfRow } from "./message-rows.ts";
import { addCompactions } from "../sql/add-compactions.ts";
import { readChain } from "../sql/compaction-chain.ts";
import { listCompactions } from "../sql/list-compactions.ts";
import { readThread } from "../sql/read-thread.ts";
import { isThreadComplete, undoCompactions } from "../sql/undo-compactions.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";
import { isUuid } from "../uuid.ts";

export function createCompactionStore({ userId, transaction, repeatable }: UserContext): CompactionStore {
  return {
    add: (lease, compactions) => repeatable((tx) => add(tx, userId, { lease, compactions })),
    undo: (lease) => transaction((tx) => undo(tx, userId, lease)),
    list: (conversationId, limit) => repeatable((tx) => list(tx, userId, { conversationId, limit })),
    messages: (conversationId, range) => repeatable((tx) => messagesOf(tx, userId, { conversationId, ...range })),
  };
}

interface WindowChain {
  /** The compactions before the window's messages, oldest first. */
  readonly compactions: readonly CompactionRecord[];
  /** The window's version that the newest of them created; null if there is none. */
  readonly newestVersion: number | null;
}

/** Throws RequestError `conversation_not_found`. */
async function readWindowChain(tx: Transaction, userId: string, conversationId: string): Promise<WindowChain> {
  if (!isUuid(conversationId)) throw conversationNotFound(conversationId);
  const rows = await tx.run<CompactionRow | { readonly id: null }>(readChain, [userId, conversationId]);
  if (rows.length === 0) throw conversationNotFound(conversationId);
  const links = rows.filter((row) => row.id !== null);
  const newestVersion = links.length === 0 ? null : largest(links.map((link) => link.window_version));
  return { compactions: links.map(compactionOfRow), newestVersion };
}

interface VersionRow {
  readonly window_version: number;
}

async function add(
  tx: Transaction,
  userId: string,
  { lease, compactions }: { readonly lease: Lease; readonly compactions: Parameters<CompactionStore["add"]>[1] },
): Promise<number> {
  const { conversationId, fence } = lease;
  await requireConversation(tx, userId, conversationId);
  const version = "select window_version from compactions where user_id = $1 and id = $2::uuid";
  const earlier = compactions[0] === undefined ? [] : await tx.run<VersionRow>(version, [userId, compactions[0].id]);
  // Committed by an earlier attempt whose answer was lost.
  if (earlier[0] !== undefined) return earlier[0].window_version;
  const [done] = await tx.run<{ readonly window_version: number; readonly added: number }>(addCompactions, [
    userId,
    conversationId,
    fence,
    compactionsAsJson(compactions),
  ]);
  if (done === undefined) throw await refusedWrite(tx, userId, lease);
  if (done.added !== compactions.length) throw messageNotFound();
  return done.window_version;
}

async function undo(tx: Transaction, userId: string, lease: Lease): Promise<readonly CompactionRecord[]> {
  const { conversationId, fence } = lease;
  const before = await readWindowChain(tx, userId, conversationId);
  if (before.newestVersion === null) {
    throw new RequestError("undo_refused", "There is no compaction to undo: every message is in the window.");
  }
  const done = await tx.run(undoCompactions, [userId, conversationId, fence, before.newestVersion]);
  if (done.length === 0) throw await refusedWrite(tx, userId, lease);
  const after = await readWindowChain(tx, userId, conversationId);
  if (!(await isComplete(tx, userId, { conversationId, compactions: after.compactions }))) {
    throw new RequestError(
      "undo_refused",
      "The compaction cannot be undone: retention has dropped messages that it covers, and only its summary is left of them.",
    );
  }
  const left = new Set(after.compactions.map(({ id }) => id));
  return before.compactions.filter(({ id }) => !left.has(id));
}

/** Whether the window and its compactions cover every message of the thread: retention may have dropped some. */
export async function isWindowComplete(tx: Transaction, userId: string, conversationId: string): Promise<boolean> {
  const { compactions } = await readWindowChain(tx, userId, conversationId);
  return isComplete(tx, userId, { conversationId, compactions });
}

async function isComplete(
  tx: Transaction,
  userId: string,
  {
    conversationId,
    compactions,
  }: { readonly conversationId: string; readonly compactions: readonly CompactionRecord[] },
): Promise<boolean> {
  const cut = compactions.at(-1)?.throughPosition ?? 0;
  const [thread] = await tx.run<{ readonly whole: boolean }>(isThreadComplete, [userId, conversationId, cut]);
  return thread?.whole === true && isWithoutGap(compactions);
}

// Retention drops the row of a compaction with the last message that it covers.
function isWithoutGap(chain: readonly CompactionRecord[]): boolean {
  return chain.every(({ fromPosition }, at) => fromPosition === (chain[at - 1]?.throughPosition ?? 0) + 1);
}

async function list(
  tx: Transaction,
  userId: string,
  { conversationId, limit }: { readonly conversationId: string; readonly limit: number },
): Promise<readonly CompactionRecord[]> {
  await requireConversation(tx, userId, conversationId);
  const rows = await tx.run<CompactionRow>(listCompactions, [userId, conversationId, limit]);
  return rows.map(compactionOfRow);
}

async function messagesOf(
  tx: Transaction,
  userId: string,
  { conversationId, fromPosition, throughPosition }: PositionRange & { readonly conversationId: string },
): Promise<readonly StoredMessage[]> {
  await requireConversation(tx, userId, conversationId);
  const rows = await tx.run<MessageRow>(readThread, [userId, conversationId, fromPosition - 1, throughPosition]);
  return rows.map(messageOfRow);
}
