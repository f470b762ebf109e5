// Stores and searches recall: the messages of one user's conversations with one agent, and their vectors.
// Invariant: only messages on their conversation's thread are found, unless all are requested; never events, tool
// results or empty texts. A message on an abandoned branch has no neighbours.
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
import { messageColumns, messageOfRow, type MessageRow } from "../conversations/message-rows.ts";
import { searchByText, sittingSeconds } from "./message-search.ts";
import { emptyPage, offsetOf, pageOf, type PageRow } from "../pages.ts";
import { runWithCustomPlans } from "../connection/force-custom-plans.ts";
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
import { firstWords } from "../sql/first-words.ts";

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

/**
 * $1 agent, $2 start and $3 end (exclusive) of the span, $4 the speaker, $5 whether the newest is first, $6 the turn to
 * exclude, $7 whether abandoned branches are included, $8 rows to skip, $9 page size. Filters by user like `searchMessages`.
 */
const messagesOfSpan = `
select * from messages_of_span($1::uuid, $2::timestamptz, $3::timestamptz, $4::text, $5::boolean, $6::uuid, $7::boolean,
  $8::int, $9::int)`;

/** Maximum code points of a conversation's first words, which serve as its title. */
const maxWords = 60;

/** Returns the conversation of each message that exists. $1 user, $2 ids of messages as JSON. */
const conversationsOfMessages = `
select m.id as message_id, c.id, coalesce(c.title, case when f.trust <> 'external' then f.text end) as title
from jsonb_array_elements_text($2::text::jsonb) as asked (id)
cross join lateral (
  select id, conversation_id from messages
  where user_id = $1 and id between asked.id::uuid and asked.id::uuid
  order by id limit 1
) m
join conversations c on c.user_id = $1 and c.id = m.conversation_id
${firstWords("c.id", { codePoints: maxWords, unless: "c.title is not null" })}`;

/**
 * $1 user, $2 ids of messages as JSON, $3 maximum on each side. Returns rows in the order of the thread; `hit_id` is the id of
 * the given message.
 */
export const neighboursOfMessages = `
select m.id as hit_id, n.position < m.position as is_before, ${messageColumns("n")}
from jsonb_array_elements_text($2::text::jsonb) as asked (id)
cross join lateral (
  select * from messages
  where user_id = $1 and id between asked.id::uuid and asked.id::uuid
  order by id limit 1
) m
cross join lateral (
  (select * from messages b
    where b.user_id = $1 and b.conversation_id = m.conversation_id and b.position < m.position and b.on_thread
      and b.search_text is not null
    order by b.position desc limit $3::int)
  union all
  (select * from messages a
    where a.user_id = $1 and a.conversation_id = m.conversation_id and a.position > m.position and a.on_thread
      and a.search_text is not null
    order by a.position limit $3::int)
) n
where m.on_thread
order by m.id, n.position`;
