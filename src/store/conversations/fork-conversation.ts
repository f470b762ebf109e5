// Creates a conversation as a copy of another one's thread and of the summaries in its window.
// Invariant: all of it is copied or nothing, and the original is unchanged; a thread with a pending call is not copied,
// since the call would run twice.
import { RequestError } from "../../base/errors.ts";
import type { ConversationRecord } from "../port/records.ts";
import type { ConversationFork } from "../port/store.ts";
import { grantEnded } from "../agents/agent-access.ts";
import { conversationNotFound } from "./conversation-faults.ts";
import { type ConversationRow, conversationOfRow } from "./conversation-rows.ts";
import {
  copyCompactions,
  copyConversation,
  copyMessages,
  forkedIds,
  lockConversation,
} from "../sql/fork-conversation.ts";
import type { Transaction } from "../connection/transaction.ts";
import { isUuid } from "../uuid.ts";

export async function forkConversation(
  tx: Transaction,
  userId: string,
  { conversationId, id, newId }: ConversationFork,
): Promise<ConversationRecord> {
  const held = isUuid(conversationId)
    ? await tx.run<{ readonly is_open: boolean; readonly is_waiting: boolean }>(lockConversation, [
        userId,
        conversationId,
      ])
    : [];
  const [original] = held;
  if (original === undefined) throw conversationNotFound(conversationId);
  if (!original.is_open) throw grantEnded();
  if (original.is_waiting) {
    throw new RequestError(
      "message_refused",
      "Expected a conversation without pending tool calls, got one whose last reply waits for a result. In a copy the call would run again: decide about it, or finish the turn first.",
    );
  }
  const ids = await tx.run<{ readonly id: string }>(forkedIds, [userId, conversationId]);
  const pairs = JSON.stringify(ids.map((row) => ({ old: row.id, new: newId() })));
  const parameters = [userId, conversationId, id, pairs];
  const [copied] = await tx.run<ConversationRow>(copyConversation, parameters);
  if (copied === undefined)
    throw new RequestError(
      "message_refused",
      "Expected a conversation with messages, got an empty one. Send a message first.",
    );
  await tx.run(copyMessages, parameters);
  await tx.run(copyCompactions, parameters);
  return conversationOfRow(copied);
}
