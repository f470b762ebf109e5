// Reads pages of a conversation's rows. A row has the shown messages that share one id, and this id is its cursor.
// Invariant: the first row of a conversation is its prompt; only as many messages are read as a page needs.
import type { MessagePageOptions } from "../../../../runtime/conversations/contract.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { Fault } from "../../fault.ts";
import type { ConversationMessage, MessagePage } from "../runtime-records.ts";
import { type ReadMessageId, readMessageId } from "../ids.ts";
import { type RowOptions, rowsOf, type StoredRow } from "./stored-rows.ts";

export interface RowSource {
  readonly conversations: Pick<UserRuntime["conversations"], "messages" | "message">;
  readonly conversationId: string;
  readonly options: RowOptions;
  readonly prompt: () => Promise<StoredRow>;
}

export interface RowPage {
  /** The order of the rows. The limit keeps the oldest rows with `asc`, and the newest with `desc`. */
  readonly order: "asc" | "desc";
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Returns rows in the order of the page. Throws Fault `message_not_found` for an unknown cursor. */
export async function readRows(source: RowSource, page: RowPage): Promise<readonly StoredRow[]> {
  const { order, before, after, limit } = page;
  const [start, end] = order === "asc" ? [after, before] : [before, after];
  const rows: StoredRow[] = [];
  if (limit === 0) return rows;
  if (end !== undefined) await requireCursor(source, end);
  for await (const row of walk(source, order, { start, chunk: Math.min(maxChunk, limit + 1) })) {
    if (row.id === end) break;
    rows.push(row);
    if (rows.length === limit) break;
  }
  return rows;
}

/** Returns a page of a complete list, which must be oldest first, in the page's `order`. Ignores an unknown cursor. */
export function pageOfRows(
  rows: readonly StoredRow[],
  page: Omit<RowPage, "limit"> & { readonly limit?: number | undefined },
): readonly StoredRow[] {
  const { order, before, after, limit = rows.length } = page;
  const end = before === undefined ? -1 : rows.findIndex(({ id }) => id === before);
  const start = after === undefined ? -1 : rows.findIndex(({ id }) => id === after);
  const between = rows.slice(start + 1, end === -1 ? rows.length : end);
  return (order === "asc" ? between : between.toReversed()).slice(0, limit);
}

const maxChunk = 500;

/** Yields the rows after `start` in the given order; without `start`, all rows. Throws the same errors as `readRows`. */
export async function* walk(
  source: RowSource,
  order: RowPage["order"],
  { start, chunk }: { readonly start: string | undefined; readonly chunk: number },
): AsyncGenerator<StoredRow, void> {
  const isForward = order === "asc";
  const cursor = start === undefined ? null : cursorOf(start);
  const isPrompt = cursor?.mark === "derived" && cursor.uuid === source.conversationId;
  if (isPrompt && !isForward) return;
  if (cursor === null && isForward) yield await source.prompt();
  const from = cursor === null || isPrompt ? null : cursor.uuid;
  if (from !== null) {
    // The message of the cursor may have several rows. Yields those that follow the cursor's row.
    const rows = ordered(rowsOf([await messageOf(source, from)], source.options), isForward);
    yield* rows.slice(rows.findIndex(({ id }) => id === start) + 1);
  }
  yield* storedRows(source, from, { isForward, chunk });
  if (!isForward) yield await source.prompt();
}

interface Direction {
  readonly isForward: boolean;
  readonly chunk: number;
}

/** Yields the rows of the messages after `start`, or of all messages, in one direction. */
async function* storedRows(
  source: RowSource,
  start: string | null,
  direction: Direction,
): AsyncGenerator<StoredRow, void> {
  const { isForward } = direction;
  let from = start;
  for (let isMore = true; isMore; ) {
    const page = await readPage(source, from, direction);
    yield* ordered(rowsOf(page.messages, source.options), isForward);
    from = ordered(page.messages, isForward).at(-1)?.id ?? from;
    isMore = isForward ? page.hasNewer : page.hasOlder;
  }
}

function ordered<Item>(items: readonly Item[], isForward: boolean): readonly Item[] {
  return isForward ? items : items.toReversed();
}

function readPage(
  { conversations, conversationId }: RowSource,
  from: string | null,
  { isForward, chunk: limit }: Direction,
): Promise<MessagePage> {
  const start: MessagePageOptions =
    from === null ? { from: isForward ? "beginning" : "end" } : { [isForward ? "after" : "before"]: from };
  return conversations.messages(conversationId, { ...start, limit });
}

async function messageOf({ conversations, conversationId }: RowSource, uuid: string): Promise<ConversationMessage> {
  const message = await conversations.message(uuid);
  if (message.conversationId === conversationId) return message;
  throw unknownCursor(uuid);
}

async function requireCursor(source: RowSource, id: string): Promise<void> {
  const { uuid, mark } = cursorOf(id);
  if (mark !== "derived" || uuid !== source.conversationId) await messageOf(source, uuid);
}

function cursorOf(id: string): ReadMessageId {
  const cursor = readMessageId(id);
  if (cursor === null) throw unknownCursor(id);
  return cursor;
}

function unknownCursor(id: string): Fault {
  return new Fault(404, "message_not_found", `There is no message ${id} in this conversation.`);
}
