// Defines the routes of `/v1` that list and search the messages of all agents, and return a message by its id.
// Invariant: nothing is written. A page of all messages reads each conversation only as far as needed, and contains no prompts.
import * as z from "zod";
import { inTurn } from "../../../../base/lists.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { TurnPlace } from "../../follow-turn.ts";
import type { Route } from "../../route.ts";
import { sentDayOrTime } from "../../wire-time.ts";
import { idOf, messageId, readMessageId } from "../ids.ts";
import { on } from "../letta-routes.ts";
import { type HitPage, messageQuery, queryTexts, readHits, readWanted } from "../pages.ts";
import type { ConversationMessage, ConversationRecord, SearchHit } from "../runtime-records.ts";
import { betweenTimes, daysOf } from "../search-days.ts";
import { momentOf, recordOf, text } from "../wire-record.ts";
import { type MessageQuery, readConversation, readMessage, rowSource, shownOf } from "./read-messages.ts";
import { walk } from "./row-pages.ts";
import { placeFields } from "./run-record.ts";
import { messagesShape } from "./shown-message.ts";
import type { StoredRow } from "./stored-rows.ts";

const searchRequest = z.looseObject({
  query: z.string().nullish(),
  agent_id: idOf("agent").nullish(),
  conversation_id: idOf("conv").nullish(),
  limit: z.int().min(1).max(100).nullish(),
  start_date: sentDayOrTime().nullish(),
  end_date: sentDayOrTime().nullish(),
  search_mode: z
    .literal("hybrid", { error: "Expected `hybrid`: messages are searched by words and by meaning." })
    .nullish(),
});

/** A search hit with the ids of its agent and its conversation. */
interface FoundHit extends TurnPlace {
  readonly hit: Pick<ConversationMessage, "id" | "text" | "at"> & { readonly role?: ConversationMessage["role"] };
}

const foundRecord = recordOf<FoundHit>()({
  message_id: [text, ({ hit }) => messageId(hit.id)],
  message_type: [text, ({ hit }) => (hit.role === "assistant" ? "assistant_message" : "user_message")],
  content: [text, ({ hit }) => hit.text],
  ...placeFields,
  created_at: [text, ({ hit }) => momentOf(hit.at)],
});

export const recallRoutes: readonly Route[] = [
  on("get /messages", "read", "Get messages of all agents, newest first", {
    query: z.looseObject({
      ...messageQuery,
      conversation_id: idOf("conv").optional(),
      include_return_message_types: queryTexts.optional(),
    }),
    output: messagesShape,
    run: async ({ runtime, query }) => {
      const { conversation_id: id } = query;
      const rows =
        id === undefined
          ? await readAllMessages(runtime, query)
          : await readConversation(runtime, await runtime.conversations.find(id), query);
      return shownOf(rows, query);
    },
  }),
  on(
    "post /messages/search",
    "read",
    "Search the messages of an agent, or of all agents, by words and by meaning, best first",
    {
      body: searchRequest,
      output: z.array(foundRecord.shape),
      run: ({ runtime, body }) => search(runtime, body),
    },
  ),
  on("get /messages/:message", "read", "Get the messages that show a stored message", {
    params: z.looseObject({ message: z.string() }),
    output: messagesShape,
    run: ({ runtime, params }) => readMessage(runtime, params.message),
  }),
];

/** Maximum number of conversations that are read, most recently used first. */
const maxConversations = 1000;
/** Number of messages that are read from a conversation at once. */
const chunk = 20;
const defaultPage = 100;

/** Returns a page of the messages of all conversations. Throws RequestError `message_not_found` for an unknown cursor. */
async function readAllMessages(runtime: UserRuntime, query: MessageQuery): Promise<readonly StoredRow[]> {
  const { order = "desc", limit = defaultPage } = query;
  const isNext = (one: Date, other: Date): boolean => (order === "asc" ? one < other : one > other);
  const [from, to] = order === "asc" ? [query.after, query.before] : [query.before, query.after];
  const [start, end] = await Promise.all([cursorAt(runtime, from), cursorAt(runtime, to)]);
  // Compares the id, too, because all rows of a reply and of its copies in forks have the same time.
  const isReached = (cursor: Cursor | null, row: StoredRow): boolean =>
    cursor !== null && (row.id === cursor.id || isNext(cursor.at, row.at));
  const rows: StoredRow[] = [];
  let isPastStart = start === null;
  for await (const row of merged(await streams(runtime, query, order), isNext)) {
    if (rows.length === limit || isReached(end, row)) break;
    isPastStart ||= isReached(start, row);
    if (isPastStart && row.id !== start?.id) rows.push(row);
  }
  return rows;
}

type Cursor = Pick<StoredRow, "id" | "at">;

async function cursorAt({ conversations }: UserRuntime, id: string | undefined): Promise<Cursor | null> {
  if (id === undefined) return null;
  return { id, at: (await conversations.message(readMessageId(id)?.uuid ?? id)).at };
}

async function streams(
  runtime: UserRuntime,
  query: MessageQuery,
  order: "asc" | "desc",
): Promise<readonly AsyncGenerator<StoredRow, void>[]> {
  const conversations = await runtime.conversations.list(null, { limit: maxConversations });
  // Rows with the same time are in the order of their streams, which must not change from page to page.
  const inOrder = conversations.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const sources = await Promise.all(inOrder.map((one) => rowSource(runtime, one, query)));
  return sources.map((source) => withoutPrompt(walk(source, order, { start: undefined, chunk })));
}

async function* withoutPrompt(rows: AsyncGenerator<StoredRow, void>): AsyncGenerator<StoredRow, void> {
  for await (const row of rows) if (row.shown.some(({ run_id: runId }) => runId !== null)) yield row;
}

/** Merges streams of rows, each sorted by time, into one that is sorted by time. */
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

const defaultLimit = 50;

type SearchRequest = z.output<typeof searchRequest>;

async function search(runtime: UserRuntime, request: SearchRequest) {
  const { agent_id: agentId, conversation_id: conversationId, limit } = request;
  if (conversationId) return (await searchConversation(runtime, conversationId, request)).map(foundRecord.show);
  const agents = agentId ? [agentId] : (await runtime.agents.list()).map(({ id }) => id);
  const pageSize = limit ?? defaultLimit;
  const pages = await Promise.all(agents.map((agent) => searchAgent(runtime, agent, request, { page: 0, pageSize })));
  // Takes a hit from each agent in turn, because scores of different agents cannot be compared.
  const hits = inTurn(pages.map((page) => page.hits)).slice(0, pageSize);
  return (await placed(runtime, hits)).map(foundRecord.show);
}

/**
 * Returns the hits in one conversation; without a query, its first messages. May read several pages, because a search
 * covers all conversations of the agent.
 */
async function searchConversation(
  runtime: UserRuntime,
  id: string,
  request: SearchRequest,
): Promise<readonly FoundHit[]> {
  const conversation = await runtime.conversations.find(id);
  const { agentId: agent } = conversation;
  if (request.agent_id && request.agent_id !== agent) return [];
  if ((request.query ?? "").trim() === "") return listConversation(runtime, conversation, request);
  const isWanted = ({ conversationId }: FoundHit): boolean => conversationId === id;
  return readHits({ limit: request.limit ?? defaultLimit, isWanted }, async (page) => {
    const { hits, total } = await searchAgent(runtime, agent, request, page);
    return { hits: await placed(runtime, hits), total };
  });
}

/** Returns the messages on the conversation's thread that a search can find, oldest first. */
async function listConversation(
  { agents, conversations }: UserRuntime,
  { id: conversationId, agentId }: ConversationRecord,
  { limit, start_date: start, end_date: end }: SearchRequest,
): Promise<readonly FoundHit[]> {
  const timeZone = start || end ? (await agents.find(agentId)).settings.timeZone : "UTC";
  const isBetween = betweenTimes(timeZone, { start, end });
  const isWanted = ({ kind, text: said, at }: ConversationMessage): boolean =>
    kind === "message" && said.trim() !== "" && isBetween(at);
  const found = await readWanted({ limit: limit ?? defaultLimit }, { isWanted }, async ({ after, limit: size }) => {
    const part = after === undefined ? ({ from: "beginning" } as const) : { after };
    return (await conversations.messages(conversationId, { ...part, limit: size })).messages;
  });
  return found.map((hit) => ({ hit, agentId, conversationId }));
}

function placed({ conversations }: UserRuntime, hits: readonly SearchHit[]): Promise<readonly FoundHit[]> {
  return Promise.all(hits.map(async (hit) => ({ ...(await conversations.message(hit.id)), hit })));
}

async function searchAgent(
  runtime: UserRuntime,
  agent: string,
  { query, start_date: start, end_date: end }: SearchRequest,
  page: { readonly page: number; readonly pageSize: number },
): Promise<HitPage<SearchHit>> {
  const days = await daysOf(runtime, agent, { start, end });
  const wanted = query?.trim() ?? "";
  if (wanted !== "") return runtime.recall.search(agent, wanted, { ...days, ...page });
  return runtime.recall.searchDate(agent, { start: "0001-01-01", end: "9999-12-31", ...days }, page);
}
