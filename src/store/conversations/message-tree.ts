// Reads a conversation's messages as a tree: its ends, the path to a message, and a message's location.
// Invariant: read-only, and messages of other conversations are not found.
import { RequestError } from "../../base/errors.ts";
import type { BranchRecord, MessageLocation, StoredMessage } from "../port/records.ts";
import type { PathRequest } from "../port/store.ts";
import { conversationNotFound, messageNotFound, requireConversation } from "./conversation-faults.ts";
import { type MessageRow, messageOfRow } from "./message-rows.ts";
import { listBranches } from "../sql/list-branches.ts";
import { readPath } from "../sql/read-path.ts";
import { readLocation } from "../sql/read-location.ts";
import type { Transaction } from "../connection/transaction.ts";
import { isUuid } from "../uuid.ts";
import { timeOf } from "../stored-times.ts";

interface BranchRow {
  readonly id: string;
  readonly preview: string;
  readonly messages: number;
  readonly created_at: string;
  readonly is_current: boolean;
  readonly fork_id: string | null;
  readonly own_messages: number;
}

export async function branchesOf(
  tx: Transaction,
  userId: string,
  conversationId: string,
): Promise<readonly BranchRecord[]> {
  if (!isUuid(conversationId)) throw conversationNotFound(conversationId);
  const rows = await tx.run<BranchRow>(listBranches, [userId, conversationId]);
  if (rows.length === 0) await requireConversation(tx, userId, conversationId);
  return rows.map(({ id, preview, messages, created_at, is_current, fork_id, own_messages }) => ({
    id,
    preview,
    messages,
    at: timeOf(created_at),
    isCurrent: is_current,
    forkId: fork_id,
    ownMessages: own_messages,
  }));
}

interface PlaceRow extends MessageRow {
  readonly on_thread: boolean;
  readonly is_before_result: boolean;
  readonly after: readonly string[];
  readonly input_id: string | null;
}

export async function placeOf(
  tx: Transaction,
  userId: string,
  { conversationId, messageId }: { readonly conversationId: string; readonly messageId: string },
): Promise<MessageLocation> {
  await requireConversation(tx, userId, conversationId);
  if (!isUuid(messageId)) throw messageNotFound();
  const [row] = await tx.run<PlaceRow>(readLocation, [userId, conversationId, messageId]);
  if (row === undefined) throw messageNotFound();
  const { on_thread: onThread, is_before_result: isBeforeResult, after, input_id: inputId } = row;
  return { message: messageOfRow(row), onThread, isBeforeResult, after, inputId };
}

export async function pathTo(
  tx: Transaction,
  userId: string,
  { conversationId, through, limit }: PathRequest & { readonly conversationId: string },
): Promise<readonly StoredMessage[]> {
  if (!isUuid(conversationId)) throw conversationNotFound(conversationId);
  if (through !== null && !isUuid(through)) throw messageNotFound();
  if (!Number.isInteger(limit) || limit < 1) {
    throw new RequestError("input_invalid", `Expected a limit that is a whole number of at least 1, got ${limit}.`);
  }
  const end = through ?? (await leafOf(tx, userId, conversationId));
  if (end === null) return [];
  const rows = await tx.run<MessageRow>(readPath, [userId, conversationId, end, Math.min(limit, maxMessages)]);
  if (rows.length > 0) return rows.map(messageOfRow);
  await requireConversation(tx, userId, conversationId);
  throw messageNotFound();
}

async function leafOf(tx: Transaction, userId: string, conversationId: string): Promise<string | null> {
  const [found] = await tx.run<{ readonly leaf_id: string | null }>(
    "select leaf_id from conversations where user_id = $1 and id = $2::uuid",
    [userId, conversationId],
  );
  if (found === undefined) throw conversationNotFound(conversationId);
  return found.leaf_id;
}

/** The largest 32-bit integer of PostgreSQL. */
const maxMessages = 2 ** 31 - 1;
