// Stores a conversation that was held in another program.
// Invariant: all of it is stored or nothing, in batches, so that memory does not grow with its length.
import { storableText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";
import type { ConversationRecord, StoredMessage } from "../port/records.ts";
import type { ImportedConversation } from "../port/store.ts";
import { requireAgent } from "../agents/agent-access.ts";
import type { Transaction } from "../connection/transaction.ts";
import { beginImport, endImport } from "../sql/conversation-rows.ts";
import { importMessages } from "../sql/import-messages.ts";
import { type ConversationRow, conversationOfRow } from "./conversation-rows.ts";
import { messagesAsJson } from "./message-rows.ts";
import { timeText } from "../stored-times.ts";

/** Messages per statement: larger batches are not faster. */
const batchSize = 500;

export async function importConversation(
  tx: Transaction,
  userId: string,
  { id, agentId, title, messages }: ImportedConversation,
): Promise<ConversationRecord> {
  await requireAgent(tx, userId, agentId);
  await tx.run(beginImport, [userId, id, agentId, title === null ? null : storableText(title)]);
  let first: StoredMessage | null = null;
  let last: StoredMessage | null = null;
  let stored = 0;
  let storing: Promise<unknown> = Promise.resolve();
  for (const batch of inBatches(messages)) {
    // Made while the database stores the batch before.
    const rows = messagesAsJson(batch, last?.id ?? null);
    await storing;
    storing = tx.run(importMessages, [userId, agentId, id, rows, stored]);
    // Its failure is thrown where it is awaited, unless the next batch is invalid.
    storing.catch(() => undefined);
    first ??= batch[0] ?? null;
    last = batch.at(-1) ?? null;
    stored += batch.length;
  }
  if (first === null || last === null) {
    throw new RequestError("input_invalid", "Expected at least one message to store, got none.");
  }
  await storing;
  const times = [timeText(first.at), timeText(last.at)];
  const [row] = await tx.run<ConversationRow>(endImport, [userId, id, last.id, stored, ...times]);
  return conversationOfRow(row!);
}

function* inBatches(messages: Iterable<StoredMessage>): Generator<readonly StoredMessage[]> {
  let batch: StoredMessage[] = [];
  for (const message of messages) {
    batch.push(message);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
