// Reads a conversation's thread page by page, with what its tool calls returned and changed.
// Invariant: a page begins with a message and ends with the last tool result of one; a tool result is never a message of the page.
import { appendAll } from "../../base/lists.ts";
import { and, asc, eq, inArray, getTableColumns } from "drizzle-orm";
import { RequestError } from "../../base/errors.ts";
import type {
  ConversationCall,
  ConversationMessage,
  FoundMessage,
  MessagePage,
  RevisionRecord,
} from "../port/records.ts";
import type { MessagePageRequest } from "../port/store.ts";
import { toolCallsOf, type ToolResultPart } from "../../base/message/message.ts";
import { revisionOfRow } from "../agents/module-rows.ts";
import type { Transaction } from "../connection/transaction.ts";
import { modules, revisions } from "../schema.ts";
import { findMessage } from "../sql/find-message.ts";
import { pageAfter, pageBefore } from "../sql/page-of-messages.ts";
import { isUuid } from "../uuid.ts";
import { conversationNotFound, messageNotFound, requireConversation } from "./conversation-faults.ts";
import { type MessageRow, messageOfRow } from "./message-rows.ts";

interface PageRow extends MessageRow {
  readonly calls: Readonly<Record<string, Pick<ConversationCall, "status" | "request">>>;
  readonly idempotency_key: string | null;
}

/** A row that is a message of the page, with the tool results that follow it. */
interface Head {
  readonly row: PageRow;
  readonly results: ToolResultPart[];
}

/** Throws RequestError `conversation_not_found`, and `message_not_found` for a cursor that is not on the thread. */
export async function readMessagePage(
  tx: Transaction,
  userId: string,
  { conversationId, cursor, direction, limit }: MessagePageRequest & { readonly conversationId: string },
): Promise<MessagePage> {
  if (!isUuid(conversationId)) throw conversationNotFound(conversationId);
  if (cursor !== null && !isUuid(cursor)) throw messageNotFound();
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
  readonly agent_id: string;
  readonly conversation_id: string;
}

/** Returns null for an unknown message. */
export async function readMessage(tx: Transaction, userId: string, messageId: string): Promise<FoundMessage | null> {
  if (!isUuid(messageId)) return null;
  const [row, ...following] = await tx.run<FoundRow>(findMessage, [userId, messageId]);
  if (row === undefined) return null;
  const results = following.flatMap(({ content }) => content.filter((part) => part.type === "tool-result"));
  const head = { row, results };
  const edits = await editsOf(tx, userId, [head]);
  const message = messageOfHead(head, edits.get(row.id) ?? []);
  return { ...message, agentId: row.agent_id, conversationId: row.conversation_id };
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
    "Expected the id of a message on the conversation's thread, got another: it may have been left on a branch. Read the page again without it.",
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

/** Returns the changes of core memory that calls of these messages made, oldest first, by message. */
async function editsOf(
  tx: Transaction,
  userId: string,
  heads: readonly Head[],
): Promise<ReadonlyMap<string, readonly RevisionRecord[]>> {
  const ids = heads.filter(({ row }) => row.role === "assistant").map(({ row }) => row.id);
  if (ids.length === 0) return new Map();
  const rows = await tx.tables
    .select({ ...getTableColumns(revisions), label: modules.label })
    .from(revisions)
    .innerJoin(modules, and(eq(modules.userId, revisions.userId), eq(modules.id, revisions.moduleId)))
    .where(and(eq(revisions.userId, userId), inArray(revisions.messageId, ids)))
    .orderBy(asc(revisions.createdAt), asc(revisions.revision), asc(modules.label));
  return new Map(ids.map((id) => [id, rows.filter(({ messageId }) => messageId === id).map(revisionOfRow)]));
}

function messageOfHead({ row, results }: Head, edits: readonly RevisionRecord[]): ConversationMessage {
  const message = messageOfRow(row);
  const calls = toolCallsOf(message).map(({ callId, name, arguments: json }): ConversationCall => {
    const result = results.find((part) => part.callId === callId);
    return {
      callId,
      name,
      arguments: json,
      // A copied conversation has no rows of calls; each of its calls has a result.
      status: row.calls[callId]?.status ?? result?.status ?? "interrupted",
      request: row.calls[callId]?.request ?? null,
      result: result === undefined ? null : shownResult(result),
    };
  });
  return { ...message, idempotencyKey: row.idempotency_key, calls, edits };
}

function shownResult({ text, files = [], printed }: ToolResultPart): NonNullable<ConversationCall["result"]> {
  return { text, files, ...(printed === undefined ? {} : { printed }) };
}
