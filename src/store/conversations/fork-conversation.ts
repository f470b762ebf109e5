// Makes a conversation that begins as another one stands: its thread and what its window has in place of older messages.
// Invariant: all of it is copied or nothing, and the original is not touched; a call without a result is not copied, since it
// would be run twice.
import { RequestError } from "../../errors.ts";
import type { ConversationRecord } from "../../memory/records.ts";
import type { ConversationFork } from "../../memory/store.ts";
import { grantEnded } from "../agents/agent-access.ts";
import { conversationNotFound } from "./conversation-faults.ts";
import {
  copyCompactions,
  copyConversation,
  copyMessages,
  forkedIds,
  holdConversation,
} from "../sql/fork-conversation.ts";
import type { Transaction } from "../connection/transaction.ts";
import { isUuid } from "../uuid.ts";

interface CopiedRow {
  readonly id: string;
  readonly agent_id: string;
  readonly title: string | null;
  readonly leaf_id: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export async function forkConversation(
  tx: Transaction,
  userId: string,
  { conversationId, id, newId }: ConversationFork,
): Promise<ConversationRecord> {
  const held = isUuid(conversationId)
    ? await tx.run<{ readonly is_open: boolean; readonly is_waiting: boolean }>(holdConversation, [
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
      "The last reply asks for a tool call that has no result yet, and in a copy it would be run again: decide about it, or go on with the turn first.",
    );
  }
  const ids = await tx.run<{ readonly id: string }>(forkedIds, [userId, conversationId]);
  const pairs = JSON.stringify(ids.map((row) => ({ old: row.id, new: newId() })));
  const parameters = [userId, conversationId, id, pairs];
  const [copied] = await tx.run<CopiedRow>(copyConversation, parameters);
  if (copied === undefined) throw new RequestError("message_refused", "Nothing was said in this conversation yet.");
  await tx.run(copyMessages, parameters);
  await tx.run(copyCompactions, parameters);
  const { agent_id: agentId, title, leaf_id: leafId } = copied;
  const [createdAt, updatedAt] = [new Date(copied.created_at), new Date(copied.updated_at)];
  return { id: copied.id, agentId, title, leafId, createdAt, updatedAt };
}
