// Routes of `/v1` about messages of any agent: all of them, one by its id, and the search.
// Invariant: reads only.
import { largest } from "../../../../base/lists.ts";
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { route, type Route } from "../../route.ts";
import { readAllMessages } from "./all-messages.ts";
import { messageId } from "./message-ids.ts";
import { idOf } from "../ids.ts";
import { queryTexts } from "../page-query.ts";
import { messageQuery } from "./message-query.ts";
import { readConversation, readMessage, shownOf } from "./read-messages.ts";
import { momentOf } from "../wire-values.ts";
import { messagesShape } from "./shape-schemas.ts";
import type { SearchHit } from "./runtime-records.ts";
import { sentDayOrTime } from "../../wire-time.ts";

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

const foundShape = z.looseObject({
  message_id: z.string(),
  message_type: z.string(),
  content: z.string(),
  agent_id: z.string(),
  created_at: z.string(),
});

export const recallRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/messages",
    summary: "Get messages of all agents, newest first",
    scope: "read",
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
  route({
    method: "post",
    path: "/messages/search",
    summary: "Search the messages of an agent, or of all agents, by words and by meaning, best first",
    scope: "read",
    body: searchRequest,
    output: z.array(foundShape),
    run: ({ runtime, body }) => search(runtime, body),
  }),
  route({
    method: "get",
    path: "/messages/:message",
    summary: "Get what a message is shown as",
    scope: "read",
    params: z.looseObject({ message: z.string() }),
    output: messagesShape,
    run: ({ runtime, params }) => readMessage(runtime, params.message),
  }),
];

const defaultLimit = 50;

type Found = z.output<typeof foundShape>;

async function search(runtime: UserRuntime, request: z.output<typeof searchRequest>): Promise<readonly Found[]> {
  const { agent_id: agentId, conversation_id: conversationId, limit } = request;
  const agents = (agentId ?? null) === null ? (await runtime.agents.list()).map(({ id }) => id) : [agentId as string];
  const pages = await Promise.all(agents.map((agent) => searchAgent(runtime, agent, request)));
  const found = await Promise.all(inTurn(pages).map((hit) => foundOf(runtime, hit)));
  return found
    .filter((one) => (conversationId ?? null) === null || one["conversation_id"] === `conv-${conversationId}`)
    .slice(0, limit ?? defaultLimit);
}

async function searchAgent(
  { recall }: UserRuntime,
  agent: string,
  { query, limit, start_date: start, end_date: end }: z.output<typeof searchRequest>,
): Promise<readonly SearchHit[]> {
  const days = {
    ...((start ?? null) === null ? {} : { start: dayOf(start as string) }),
    ...((end ?? null) === null ? {} : { end: dayOf(end as string) }),
  };
  const pageSize = limit ?? defaultLimit;
  const text = query?.trim() ?? "";
  if (text !== "") return (await recall.search(agent, text, { ...days, pageSize })).hits;
  const span = { start: "0001-01-01", end: "9999-12-31", ...days };
  return (await recall.searchDate(agent, span, { pageSize })).hits;
}

const dayOf = (text: string): string => text.slice(0, 10);

/** The best of each page, then the second of each, and so on: scores of different agents cannot be compared. */
function inTurn(pages: readonly (readonly SearchHit[])[]): readonly SearchHit[] {
  const longest = largest(
    pages.map(({ length }) => length),
    0,
  );
  return Array.from({ length: longest }, (_, at) => pages.flatMap((page) => page.slice(at, at + 1))).flat();
}

async function foundOf({ conversations }: UserRuntime, { id, role, text, at }: SearchHit): Promise<Found> {
  const { agentId, conversationId } = await conversations.message(id);
  return {
    message_id: messageId(id),
    message_type: role === "assistant" ? "assistant_message" : "user_message",
    content: text,
    agent_id: `agent-${agentId}`,
    conversation_id: conversationId === agentId ? null : `conv-${conversationId}`,
    created_at: momentOf(at),
  };
}
