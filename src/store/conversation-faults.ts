// Why a write to a conversation did not happen, found out after the fact: the happy path asks for nothing it does not need.
import { RequestError } from "../errors.ts";
import type { Transaction } from "./transaction.ts";
import { isUuid } from "./uuid.ts";

/** The error for a conversation that this user does not have. */
export function conversationNotFound(conversationId: string): RequestError {
  const named = isUuid(conversationId) ? ` ${conversationId}` : "";
  return new RequestError("conversation_not_found", `There is no conversation${named}. List them, or start a new one.`);
}

/** Throws when the user has no conversation of that id. */
export async function requireConversation(tx: Transaction, userId: string, conversationId: string): Promise<void> {
  const found = isUuid(conversationId)
    ? await tx.run("select 1 from conversations where user_id = $1 and id = $2::uuid", [userId, conversationId])
    : [];
  if (found.length === 0) throw conversationNotFound(conversationId);
}

/** The error for a write that found the conversation on another message than its writer had read. */
export async function lostLeaf(tx: Transaction, userId: string, conversationId: string): Promise<RequestError> {
  await requireConversation(tx, userId, conversationId);
  return new RequestError(
    "agent_busy",
    "Another process is stepping this conversation: it stands on another message by now. Load it again.",
  );
}
