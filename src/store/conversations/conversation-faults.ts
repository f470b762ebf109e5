// Checks conversations and leases, and returns the error for a refused write. The reason is queried only after a refusal, so
// successful writes need no extra queries.
import { RequestError } from "../../base/errors.ts";
import type { Lease } from "../port/turn-store.ts";
import { grantEnded } from "../agents/agent-access.ts";
import type { Transaction } from "../connection/transaction.ts";
import { isUuid } from "../stored-values.ts";

export function conversationNotFound(conversationId: string): RequestError {
  const problem = isUuid(conversationId)
    ? `There is no conversation ${conversationId}.`
    : "There is no such conversation: expected a UUID.";
  return new RequestError(
    "conversation_not_found",
    `${problem} \`runtime.conversations.list()\` lists the conversations.`,
  );
}

/** Returns the error for a message that is missing, or in another conversation. */
export function messageNotFound(): RequestError {
  return new RequestError(
    "message_not_found",
    "There is no such message in this conversation. Expected the id of one of its messages; `runtime.conversations.branches()` lists the last message of each branch.",
  );
}

/** Throws RequestError `conversation_not_found` if the user has no conversation of that id. */
export async function requireConversation(tx: Transaction, userId: string, conversationId: string): Promise<void> {
  const statement = "select 1 from conversations where user_id = $1 and id = $2::uuid";
  if ((await tx.run(statement, [userId, conversationId])).length === 0) throw conversationNotFound(conversationId);
}

/**
 * Throws RequestError `conversation_not_found` if the user has no conversation of that id, or `grant_ended` if the user may
 * only read it because the grant of its agent has ended.
 */
export async function requireOpenConversation(tx: Transaction, userId: string, conversationId: string): Promise<void> {
  const statement = "select is_open from conversations where user_id = $1 and id = $2::uuid";
  const [found] = await tx.run<{ readonly is_open: boolean }>(statement, [userId, conversationId]);
  if (found === undefined) throw conversationNotFound(conversationId);
  if (!found.is_open) throw grantEnded();
}

const underLease = "select 1 from conversations where user_id = $1 and id = $2::uuid and lease_fence = $3::int";

/** Returns the error for a write that failed because the lease was taken over, or because the leaf has changed. */
export async function refusedWrite(tx: Transaction, userId: string, lease: Lease): Promise<RequestError> {
  const { conversationId, fence } = lease;
  await requireOpenConversation(tx, userId, conversationId);
  if ((await tx.run(underLease, [userId, conversationId, fence])).length === 0) return leaseLost();
  return new RequestError(
    "agent_busy",
    "The conversation's last message has changed since the conversation was read. Load the conversation again.",
  );
}

/** Locks the conversation under this lease until the transaction ends. Throws RequestError `lease_lost`. */
export async function requireLease(tx: Transaction, userId: string, lease: Lease): Promise<void> {
  const { conversationId, fence } = lease;
  await requireOpenConversation(tx, userId, conversationId);
  if ((await tx.run(`${underLease} for update`, [userId, conversationId, fence])).length === 0) throw leaseLost();
}

/**
 * Returns the error for a lease that could not be renewed: it was taken over, or the conversation is no longer open.
 */
export async function refusedLease(tx: Transaction, userId: string, conversationId: string): Promise<RequestError> {
  const closed = "select from conversations where user_id = $1 and id = $2::uuid and not is_open";
  return (await tx.run(closed, [userId, conversationId])).length > 0 ? grantEnded() : leaseLost();
}

/** Returns the error for a process that did not renew its lease in time, so that another process took the conversation over. */
export function leaseLost(): RequestError {
  return new RequestError(
    "lease_lost",
    "Another process has taken over this conversation, because this one did not renew its lease in time. " +
      "Committed changes are kept, nothing else was written. Send the message again, or resume the turn.",
  );
}
