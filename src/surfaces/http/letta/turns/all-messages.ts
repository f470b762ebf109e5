// Reads the messages of all conversations of a user together, by their time.
// Invariant: a page reads each conversation no further than it needs; prompts are not among these messages.
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { readMessageId } from "./message-ids.ts";
import { type MessageQuery, rowSource } from "./read-messages.ts";
import { walk } from "./row-pages.ts";
import type { StoredRow } from "./stored-rows.ts";

/** Conversations that are read, most recently used first. */
const maxConversations = 1000;
/** Messages that are read of a conversation at a time. */
const chunk = 20;
const defaultLimit = 100;

/** Throws RequestError `message_not_found` for an unknown cursor. */
export async function readAllMessages(runtime: UserRuntime, query: MessageQuery): Promise<readonly StoredRow[]> {
  const { order = "desc", limit = defaultLimit } = query;
  const isNext = (one: Date, other: Date): boolean => (order === "asc" ? one < other : one > other);
  const [start, end] = await Promise.all(
    (order === "asc" ? [query.after, query.before] : [query.before, query.after]).map((id) => timeOf(runtime, id)),
  );
  const rows: StoredRow[] = [];
  for await (const row of merged(await streams(runtime, query, order), isNext)) {
    if (rows.length === limit || (end !== null && end !== undefined && !isNext(row.at, end))) break;
    if (start === null || start === undefined || isNext(start, row.at)) rows.push(row);
  }
  return rows;
}

async function timeOf({ conversations }: UserRuntime, id: string | undefined): Promise<Date | null> {
  if (id === undefined) return null;
  return (await conversations.message(readMessageId(id)?.uuid ?? id)).at;
}

async function streams(
  runtime: UserRuntime,
  query: MessageQuery,
  order: "asc" | "desc",
): Promise<readonly AsyncGenerator<StoredRow, void>[]> {
  const conversations = await runtime.conversations.list(null, { limit: maxConversations });
  const sources = await Promise.all(conversations.map((one) => rowSource(runtime, one, query)));
  return sources.map((source) => withoutPrompt(walk(source, order, { start: undefined, chunk })));
}

async function* withoutPrompt(rows: AsyncGenerator<StoredRow, void>): AsyncGenerator<StoredRow, void> {
  for await (const row of rows) if (row.shown.some(({ run_id: runId }) => runId !== null)) yield row;
}

/** Yields the rows of several streams, each in order, in one order. */
async function* merged(
  sources: readonly AsyncGenerator<StoredRow, void>[],
  isNext: (one: Date, other: Date) => boolean,
): AsyncGenerator<StoredRow, void> {
  const heads = new Map<AsyncGenerator<StoredRow, void>, StoredRow>();
  const advance = async (source: AsyncGenerator<StoredRow, void>): Promise<void> => {
    const { value, done } = await source.next();
    if (done === true) heads.delete(source);
    else heads.set(source, value);
  };
  for (const source of sources) await advance(source);
  while (heads.size > 0) {
    const [source, row] = [...heads].reduce((first, other) => (isNext(other[1].at, first[1].at) ? other : first));
    yield row;
    await advance(source);
  }
}
