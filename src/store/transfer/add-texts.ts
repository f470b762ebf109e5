// Stores conversations and passages from elsewhere with an agent that exists, or counts those that are not stored yet.
// Invariant: rows that exist stay as they are, so that texts can be added again; the agent, its memory and its settings are not
// changed.
import { createHash } from "node:crypto";
import { storableText } from "../../base/code-points.ts";
import type { AddedTexts, TransferredTexts } from "../port/transfer-store.ts";
import { requireAgent } from "../agents/agent-access.ts";
import type { Transaction } from "../connection/transaction.ts";
import { countMissing } from "../sql/count-missing.ts";
import { putConversations } from "./put-conversations.ts";
import { putPassagesOf } from "./put-transfer.ts";

export interface TextsRequest {
  readonly userId: string;
  readonly agentId: string;
  readonly texts: TransferredTexts;
}

/** Throws RequestError `agent_not_found`, `grant_ended` and `input_invalid`. */
export async function addTexts(tx: Transaction, { userId, agentId, texts }: TextsRequest): Promise<AddedTexts> {
  await requireAgent(tx, userId, agentId);
  const added = await putConversations(tx, { userId, agentId }, texts.conversations);
  return { ...added, passages: await putPassagesOf(tx, [userId, agentId, null], texts.passages) };
}

/** Throws RequestError `agent_not_found` and `grant_ended`. */
export async function countTexts(tx: Transaction, { userId, agentId, texts }: TextsRequest): Promise<AddedTexts> {
  await requireAgent(tx, userId, agentId);
  const conversations = texts.conversations.map(({ id }) => id);
  const messages = texts.conversations.flatMap((conversation) => conversation.messages.map(({ id }) => id));
  const passages = texts.passages.map(({ id, text }) => ({ id, hash: hashOf(text) }));
  const lists = [conversations, messages, passages].map((list) => JSON.stringify(list));
  const [counted] = await tx.run<AddedTexts>(countMissing, [userId, agentId, ...lists]);
  return counted!;
}

function hashOf(text: string): string {
  return createHash("sha256").update(storableText(text)).digest("hex");
}
