// Stores a conversation that was held in another program.
// Invariant: all messages are stored or none, in batches, so that memory does not grow with their number.
import { RequestError } from "../../base/errors.ts";
import { inBatches } from "../../base/lists.ts";
import { requireAgent } from "../agents/agent-access.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { ConversationRecord, StoredMessage } from "../port/records.ts";
import type { ImportedConversation } from "../port/conversation-store.ts";
import { givenMessages } from "../sql/append-messages.ts";
import { conversationColumns } from "./conversation-rows.ts";
import { rowsOfMessages } from "./message-rows.ts";

/** Messages per statement: larger batches are not faster. */
const batchSize = 500;

export async function importConversation(
  tx: Transaction,
  userId: string,
  { id, agentId, title, messages }: ImportedConversation,
): Promise<ConversationRecord> {
  await requireAgent(tx, userId, agentId);
  await tx.run(beginImport, [userId, id, agentId, title]);
  let first: StoredMessage | null = null;
  let last: StoredMessage | null = null;
  let stored = 0;
  let storing: Promise<unknown> = Promise.resolve();
  for (const batch of inBatches(messages, batchSize)) {
    // This batch is converted to rows while the database stores the previous batch.
    const rows = rowsOfMessages(batch, last?.id ?? null);
    await storing;
    storing = tx.run(importMessages, [userId, agentId, id, rows, stored]);
    // If the next batch is invalid, nothing awaits `storing`: this handler prevents an unhandled rejection.
    storing.catch(() => undefined);
    first ??= batch[0] ?? null;
    last = batch.at(-1) ?? null;
    stored += batch.length;
  }
  if (first === null || last === null) {
    throw new RequestError("input_invalid", "Expected at least one message to store, got none.");
  }
  await storing;
  const [row] = await tx.run<ConversationRecord>(endImport, [userId, id, last.id, stored, first.at, last.at]);
  return row!;
}

/** Creates an empty conversation. $1 user, $2 id, $3 agent, $4 title. */
const beginImport = `
insert into conversations (user_id, id, agent_id, title) values ($1, $2::uuid, $3::uuid, $4)`;

/** Ends an import. $1 user, $2 id, $3 last message, $4 number of messages, $5 time of the first message, $6 of the last. */
const endImport = `
update conversations
set leaf_id = $3::uuid, leaf_position = $4::int, created_at = $5::timestamptz, updated_at = $6::timestamptz
where user_id = $1 and id = $2::uuid
returning ${conversationColumns}`;

/**
 * $1 user, $2 agent, $3 conversation, $4 one batch of its messages, in order, $5 the position of the message before this
 * batch. All of these messages are on the thread.
 */
const importMessages = `
insert into messages (user_id, agent_id, conversation_id, position, ${givenMessages.columns})
select $1, $2::uuid, $3::uuid, $5::int + g.number, ${givenMessages.values}
from ${givenMessages.from("$4", ", number int")}`;
