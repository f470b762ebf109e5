// Reads a conversation's thread page by page, with the results of its tool calls and their changes of core memory.
// Invariant: a page begins with a message and ends with the last tool result of a message; a tool result does not count
// as a message of the page. The cost is proportional to the page. The parent of a tool result is the message with the
// call or another result, so the results after a message, even on other branches, belong to that message.
import { appendAll } from "../../base/lists.ts";
import { and, asc, eq, inArray } from "drizzle-orm";
import { RequestError } from "../../base/errors.ts";
import type {
  ConversationCall,
  ConversationMessage,
  FoundMessage,
  MessagePage,
  MessagePageRequest,
} from "../port/conversation-store.ts";
import type { RevisionRecord } from "../port/records.ts";
import { toolCallsOf, type ToolResultPart } from "../../base/message/message.ts";
import { revisionOfModule } from "../agents/module-rows.ts";
import type { Transaction } from "../connection/transaction.ts";
import { modules, revisions } from "../schema.ts";
import { requireConversation } from "./conversation-faults.ts";
import { messageColumns, messageOfRow, type MessageRow } from "./message-rows.ts";

interface PageRow extends MessageRow {
  readonly calls: Readonly<Record<string, Pick<ConversationCall, "status" | "request">>>;
  readonly idempotencyKey: string | null;
}

/** A message of the page that is not a tool result, and the tool results that follow it. */
interface Head {
  readonly row: PageRow;
  readonly results: ToolResultPart[];
}

/**
 * Returns a page of messages. Throws RequestError `conversation_not_found`, and `message_not_found` for a cursor that is not on
 * the thread.
 */
export async function readMessagePage(
  tx: Transaction,
  userId: string,
  { conversationId, cursor, direction, limit }: MessagePageRequest & { readonly conversationId: string },
): Promise<MessagePage> {
  const statement = direction === "before" ? pageBefore : pageAfter;
  const rows = await tx.run<PageRow>(statement, [userId, conversationId, cursor, limit]);
  if (rows.length === 0) await requireCursor(tx, userId, { conversationId, cursor });
  const found = headsOf(rows);
  const isMore = found.length > limit;
  const heads = direction === "before" ? found.slice(-limit) : found.slice(0, limit);
  const edits = await editsOf(tx, userId, heads);
  const isAtEnd = cursor === null;
  return {
    messages: heads.map((head) => messageOfHead(head, edits.get(head.row.id) ?? [])),
    hasOlder: direction === "before" ? isMore : !isAtEnd,
    hasNewer: direction === "before" ? !isAtEnd : isMore,
  };
}

interface FoundRow extends PageRow {
  readonly agentId: string;
  readonly conversationId: string;
}

/** Returns the message; null for an unknown id. */
export async function readMessage(tx: Transaction, userId: string, messageId: string): Promise<FoundMessage | null> {
  const [row, ...following] = await tx.run<FoundRow>(findMessage, [userId, messageId]);
  if (row === undefined) return null;
  const results = following.flatMap(({ content }) => content.filter((part) => part.type === "tool-result"));
  const head = { row, results };
  const edits = await editsOf(tx, userId, [head]);
  const message = messageOfHead(head, edits.get(row.id) ?? []);
  return { ...message, agentId: row.agentId, conversationId: row.conversationId };
}

async function requireCursor(
  tx: Transaction,
  userId: string,
  { conversationId, cursor }: { readonly conversationId: string; readonly cursor: string | null },
): Promise<void> {
  await requireConversation(tx, userId, conversationId);
  if (cursor === null) return;
  const found = await tx.run(
    "select from messages where user_id = $1 and (conversation_id = $2::uuid) is true and id = $3::uuid and on_thread",
    [userId, conversationId, cursor],
  );
  if (found.length > 0) return;
  throw new RequestError(
    "message_not_found",
    "Expected the id of a message on the conversation's thread, got the id of another message, perhaps on a branch. Read the page again without this id.",
  );
}

function headsOf(rows: readonly PageRow[]): readonly Head[] {
  const heads: Head[] = [];
  for (const row of rows) {
    const results = row.content.filter((part) => part.type === "tool-result");
    const head = heads.at(-1);
    if (row.role !== "tool") heads.push({ row, results: [] });
    else if (head !== undefined) appendAll(head.results, results);
  }
  return heads;
}

/** Returns, for each message, the changes of core memory that its tool calls made, oldest first. */
async function editsOf(
  tx: Transaction,
  userId: string,
  heads: readonly Head[],
): Promise<ReadonlyMap<string, readonly RevisionRecord[]>> {
  const ids = heads.filter(({ row }) => row.role === "assistant").map(({ row }) => row.id);
  if (ids.length === 0) return new Map();
  const rows = await tx.tables
    .select(revisionOfModule)
    .from(revisions)
    .innerJoin(modules, and(eq(modules.userId, revisions.userId), eq(modules.id, revisions.moduleId)))
    .where(and(eq(revisions.userId, userId), inArray(revisions.messageId, ids)))
    .orderBy(asc(revisions.at), asc(revisions.revision), asc(modules.label));
  return new Map(ids.map((id) => [id, rows.filter(({ messageId }) => messageId === id)]));
}

function messageOfHead({ row, results }: Head, edits: readonly RevisionRecord[]): ConversationMessage {
  const message = messageOfRow(row);
  const calls = toolCallsOf(message).map(({ callId, name, arguments: json }): ConversationCall => {
    const result = results.find((part) => part.callId === callId);
    return {
      callId,
      name,
      arguments: json,
      // A forked conversation has no rows in `tool_calls`; there the status of a call is that of its result.
      status: row.calls[callId]?.status ?? result?.status ?? "interrupted",
      request: row.calls[callId]?.request ?? null,
      result: result === undefined ? null : shownResult(result),
    };
  });
  return { ...message, idempotencyKey: row.idempotencyKey, calls, edits };
}

function shownResult({ text, files = [], printed }: ToolResultPart): NonNullable<ConversationCall["result"]> {
  return { text, files, ...(printed === undefined ? {} : { printed }) };
}

/** SQL: the idempotency key of the input that became the message; null for other messages, and in a copied conversation. */
const keyOfMessage = "(select i.idempotency_key from inputs i where i.user_id = $1 and i.message_id = m.id limit 1)";

/** SQL: a call as JSON. A call with `requested_at` that has no verdict and awaits no approval awaits, or awaited, a result. */
const storedCall = `jsonb_build_object('status', t.status, 'request', case when t.requested_at is null then null else
      jsonb_build_object('awaits', case when t.status = 'awaiting-result' or (t.verdict is null and t.status <> 'awaiting-approval') then 'result' else 'approval' end,
        'verdict', t.verdict, 'reason', t.reason) end)`;

/** SQL: the columns of a message of a page, from the row `m`. */
const pageColumns = `${messageColumns("m")}, (
    select coalesce(jsonb_object_agg(t.call_id, ${storedCall}), '{}')
    from tool_calls t
    where t.user_id = $1 and t.message_id = m.id
  ) as calls, ${keyOfMessage} as "idempotencyKey"`;

/**
 * $1 user, $2 conversation, $3 the cursor or null, $4 maximum messages without tool results. Returns one message more than the
 * maximum if there is one, and the tool results that follow each message. Returns no row if the page is empty, or if the cursor
 * is not on the thread. A null cursor means the end of the thread.
 */
const pageBefore = statementFor({
  // The position after the leaf, which is the last message.
  fromEnd: "v.leaf_position + 1",
  beyond: "<",
  order: "desc",
  range: `(select min(position) from heads) and position < (select position from cursor)`,
});

/** Like `pageBefore`, in the other direction; a null cursor means the beginning of the thread. */
const pageAfter = statementFor({
  fromEnd: "0",
  beyond: ">",
  order: "asc",
  range: `(select min(position) from heads) and position < coalesce((
      select min(n.position) from messages n
      where n.user_id = $1 and n.conversation_id = $2::uuid and n.on_thread and n.role <> 'tool'
        and n.position > (select max(position) from heads)
    ), 2147483647)`,
});

interface Direction {
  /** SQL: the position that a null cursor means. */
  readonly fromEnd: string;
  readonly beyond: "<" | ">";
  readonly order: "asc" | "desc";
  /** SQL that completes `position >=`: the first position of the page, and a condition for the last position. */
  readonly range: string;
}

function statementFor({ fromEnd, beyond, order, range }: Direction): string {
  return `
with cursor as (
  select case when $3::uuid is null then ${fromEnd} else (
    select m.position from messages m
    where m.user_id = $1 and (m.conversation_id = $2::uuid) is true and m.id = $3::uuid and m.on_thread
  ) end as position
  from conversations v
  where v.user_id = $1 and v.id = $2::uuid
), heads as (
  select m.position
  from messages m
  where m.user_id = $1 and m.conversation_id = $2::uuid and m.on_thread and m.role <> 'tool'
    and m.position ${beyond} (select position from cursor)
  order by m.position ${order}
  limit $4::int + 1
)
select ${pageColumns}
from messages m
where m.user_id = $1 and m.conversation_id = $2::uuid and m.on_thread
  and position >= ${range}
order by m.position`;
}

/**
 * One message, on any branch, with the tool results that directly follow it. $1 user, $2 message. Returns the message in the
 * first row; no row for an unknown message.
 */
const findMessage = `
with recursive found as (
  select m.*, 0 as depth from messages m where m.user_id = $1 and m.id = $2::uuid
  union all
  select n.*, f.depth + 1
  from found f
  join messages n on n.user_id = $1 and n.conversation_id = f.conversation_id and n.position = f.position + 1
    and n.parent_id = f.id and n.role = 'tool'
)
select m.agent_id as "agentId", m.conversation_id as "conversationId", ${pageColumns}
from found m
order by m.depth, m.id`;
