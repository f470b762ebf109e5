// Why a write to a conversation did not happen, found out after the fact: the happy path asks for nothing it does not need.
import { RequestError } from "../../errors.ts";
import type { Lease } from "../../memory/turn-store.ts";
import { grantEnded } from "../agents/agent-access.ts";
import type { Transaction } from "../connection/transaction.ts";
import { isUuid } from "../uuid.ts";

/** The error for a conversation that this user does not have. */
export function conversationNotFound(conversationId: string): RequestError {
  const problem = isUuid(conversationId)
    ? `There is no conversation ${conversationId}.`
    : "There is no conversation of that id: expected a UUID.";
  return new RequestError(
    "conversation_not_found",
    `${problem} \`palimpsest conversations list\` shows those there are.`,
  );
}

/** The error for a message that is not where it should be. */
export function messageNotFound(): RequestError {
  return new RequestError(
    "message_not_found",
    "There is no such message in this conversation. Expected the id of one of its messages, as `palimpsest conversations branches` shows them.",
  );
}

/** Throws when the user has no conversation of that id. */
export async function requireConversation(tx: Transaction, userId: string, conversationId: string): Promise<void> {
  const found = isUuid(conversationId)
    ? await tx.run("select 1 from conversations where user_id = $1 and id = $2::uuid", [userId, conversationId])
    : [];
  if (found.length === 0) throw conversationNotFound(conversationId);
}

/** Throws when the user has no conversation of that id, or one that is only read: with an agent that the user may not use any more. */
export async function requireOpenConversation(tx: Transaction, userId: string, conversationId: string): Promise<void> {
  const statement = "select is_open from conversations where user_id = $1 and id = $2::uuid";
  const [found] = isUuid(conversationId)
    ? await tx.run<{ readonly is_open: boolean }>(statement, [userId, conversationId])
    : [];
  if (found === undefined) throw conversationNotFound(conversationId);
  if (!found.is_open) throw grantEnded();
}

const underLease = "select 1 from conversations where user_id = $1 and id = $2::uuid and lease_fence = $3::int";

/** The error for a write that found the lease taken over, or the conversation on another message than its writer had read. */
export async function refusedWrite(tx: Transaction, userId: string, lease: Lease): Promise<RequestError> {
  const { conversationId, fence } = lease;
  await requireOpenConversation(tx, userId, conversationId);
  if ((await tx.run(underLease, [userId, conversationId, fence])).length === 0) return leaseLost();
  return new RequestError(
    "agent_busy",
    "This conversation stands on another message by now than when it was read. Load it again.",
  );
}

/** Keeps the conversation under this lease until the transaction ends. Throws RequestError `lease_lost`. */
export async function requireLease(tx: Transaction, userId: string, lease: Lease): Promise<void> {
  const { conversationId, fence } = lease;
  await requireOpenConversation(tx, userId, conversationId);
  if ((await tx.run(`${underLease} for update`, [userId, conversationId, fence])).length === 0) throw leaseLost();
}

/** The error for a lease that could not be renewed: it was taken over, or the conversation is not open any more. */
export async function refusedLease(tx: Transaction, userId: string, conversationId: string): Promise<RequestError> {
  const closed = "select from conversations where user_id = $1 and id = $2::uuid and not is_open";
  return (await tx.run(closed, [userId, conversationId])).length > 0 ? grantEnded() : leaseLost();
}

/** The error for whoever did not answer for so long that somebody else took the conversation over. */
export function leaseLost(): RequestError {
  return new RequestError(
    "lease_lost",
    "Another process has taken this conversation over, because this one did not renew its lease in time. " +
      "What was committed stays, nothing else was written. Send again, or resume.",
  );
}
