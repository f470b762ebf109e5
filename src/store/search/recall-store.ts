// Stores and searches recall: the messages of one user's conversations with one agent, and their vectors.
// Invariant: only messages on their conversation's thread are found, unless all are requested; never events, tool
// results or empty texts.
import { storableJson, storableText } from "../../base/code-points.ts";
import type {
  ConversationName,
  MessageToEmbed,
  MessageVectors,
  Neighbours,
  RecallHit,
  RecallQuery,
  RecallStore,
} from "../port/recall-store.ts";
import type { Page } from "../port/page.ts";
import { type MessageRow, messageOfRow } from "../conversations/message-rows.ts";
import { searchByText, sittingSeconds } from "./message-search.ts";
import { emptyPage, offsetOf, pageOf, type PageRow } from "../pages.ts";
import { runWithCustomPlans } from "../connection/force-custom-plans.ts";
import { conversationsOfMessages } from "../sql/conversations-of-messages.ts";
import { messagesOfSpan } from "../sql/messages-of-span.ts";
import { neighboursOfMessages } from "../sql/neighbours-of-messages.ts";
import { addVectors, countMessagesWithoutVector, messagesWithoutVector } from "../sql/vectors.ts";
import type { UserContext } from "../connection/database.ts";
import { isUuid, spanTexts } from "../stored-values.ts";
import {
  createVectorTables,
  needParameters,
  type UnversionedRow,
  type VectorTables,
  versioned,
} from "../vectors/vector-tables.ts";
import { vectorText } from "../vectors/vector-text.ts";

export function createRecallStore(context: UserContext): RecallStore {
  const { userId, repeatable } = context;
  const tables = createVectorTables(context);
  return {
    async search(query) {
      const { agentId, text } = query;
      if (!isUuid(agentId)) return emptyPage;
      return text === undefined ? ofSpan(context, query) : searchByText(context, query, text);
    },
    conversationsOf: (messageIds) => conversationsOf(context, messageIds.filter(isUuid)),
    neighbours: (messageIds, max) => neighboursOf(context, messageIds.filter(isUuid), max),
    async withoutVector(agentId, { embedder, dimensions, limit, among = null }) {
      await tables.ensure(dimensions);
      if (!isUuid(agentId)) return [];
      const parameters = [userId, agentId, storableText(embedder), limit, sittingSeconds, among];
      const statement = messagesWithoutVector(dimensions);
      return versioned(await runWithCustomPlans<UnversionedRow<MessageToEmbed>>({ repeatable }, statement, parameters));
    },
    addVectors: (agentId, vectors) => storeVectors(context, tables, { agentId, vectors }),
    async countWithoutVector(need) {
      await tables.ensure(need.dimensions);
      return runWithCustomPlans({ repeatable }, countMessagesWithoutVector(need.dimensions), [
        userId,
        ...needParameters(need),
      ]);
    },
  };
}

async function ofSpan({ statement }: UserContext, query: RecallQuery): Promise<Page<RecallHit>> {
  const { since, until } = spanTexts(query.span);
  const rows = await statement<PageRow<MessageRow>>(messagesOfSpan, [
    query.agentId,
    since ?? null,
    until ?? null,
    query.speaker === undefined ? null : storableText(query.speaker),
    query.order === "newest",
    query.exceptTurnId ?? null,
    query.includeAbandoned ?? false,
    offsetOf(query),
    query.pageSize,
  ]);
  return pageOf<MessageRow, RecallHit>(rows, (row) => ({ ...messageOfRow(row), explanation: null }));
}

interface ConversationRow extends ConversationName {
  readonly message_id: string;
}

async function conversationsOf(
  { userId, statement }: UserContext,
  messageIds: readonly string[],
): Promise<ReadonlyMap<string, ConversationName>> {
  const rows = await statement<ConversationRow>(conversationsOfMessages, [userId, storableJson(messageIds)]);
  return new Map(rows.map(({ message_id: messageId, id, title }) => [messageId, { id, title }]));
}

type NeighbourRow = MessageRow & { readonly hit_id: string; readonly is_before: boolean };

async function neighboursOf(
  { userId, statement }: UserContext,
  messageIds: readonly string[],
  max: number,
): Promise<ReadonlyMap<string, Neighbours>> {
  const rows = await statement<NeighbourRow>(neighboursOfMessages, [userId, storableJson(messageIds), max]);
  const sides = (id: string, isBefore: boolean) =>
    rows.filter((row) => row.hit_id === id && row.is_before === isBefore).map(messageOfRow);
  return new Map(messageIds.map((id) => [id, { before: sides(id, true), after: sides(id, false) }]));
}

async function storeVectors(
  { userId, repeatable }: UserContext,
  tables: VectorTables,
  { agentId, vectors }: { readonly agentId: string; readonly vectors: MessageVectors },
): Promise<void> {
  const { embedder, dimensions, rows } = vectors;
  const made = rows.map(({ messageId, vector, forgettings }) => ({
    message_id: messageId,
    vector: vectorText(vector, dimensions),
    forgettings: forgettings ?? null,
  }));
  await tables.ensure(dimensions);
  if (made.length === 0 || !isUuid(agentId)) return;
  const parameters = [userId, agentId, storableText(embedder), storableJson(made)];
  await runWithCustomPlans({ repeatable }, addVectors("messages", dimensions), parameters);
}
