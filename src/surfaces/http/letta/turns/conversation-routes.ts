// Routes of `/v1` about conversations.
// Invariant: an agent's own messages are no conversation in lists, and `default` in paths.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { route, type Route } from "../../route.ts";
import { conversationName, namedConversation } from "./conversation-place.ts";
import { requireSupported, shownConversation } from "./conversation-shape.ts";
import { openForReading } from "../../follow-turn.ts";
import { messageId } from "./message-ids.ts";
import { idOf } from "../ids.ts";
import { listQuery } from "./message-query.ts";
import { conversationShape } from "./shape-schemas.ts";
import type { ConversationRecord } from "./runtime-records.ts";
import { unserved } from "../unserved.ts";

const agentQuery = z.looseObject({ agent_id: idOf("agent") });
const conversationPath = z.looseObject({ conversation: idOf("conv") });
export const namedPath = z.looseObject({ conversation: conversationName });
export const namedQuery = z.looseObject({ agent_id: z.string().optional() });

const conversationsQuery = z.looseObject({
  ...listQuery,
  agent_id: idOf("agent").optional(),
  after: idOf("conv").optional(),
  before: idOf("conv").optional(),
  summary_search: z.string().optional(),
  // No conversation here is archived.
  archive_status: z.enum(["all", "unarchived", "archived"]).optional(),
  order_by: z.enum(["created_at", "last_run_completion", "last_message_at"]).optional(),
});

const given = z.looseObject({
  summary: z.string().nullish(),
  model: z.string().nullish(),
  model_settings: z.unknown().optional(),
  isolated_block_labels: z.array(z.string()).nullish(),
});

export const conversationRoutes: readonly Route[] = [
  route({
    method: "post",
    path: "/conversations",
    summary: "Start a conversation with an agent",
    scope: "chat",
    query: agentQuery,
    body: given.nullish(),
    output: conversationShape,
    run: async ({ runtime, query, body }) => {
      requireSupported(body ?? {});
      const title = body?.summary ?? null;
      const created = await runtime.conversations.create(query.agent_id, title === null ? {} : { title });
      return shownConversation(created);
    },
  }),
  route({
    method: "get",
    path: "/conversations",
    summary: "List conversations, newest first",
    scope: "read",
    query: conversationsQuery,
    output: z.array(conversationShape),
    run: async ({ runtime, query }) => (await list(runtime, query)).map((record) => shownConversation(record)),
  }),
  route({
    method: "get",
    path: "/conversations/:conversation",
    summary: "Get a conversation, with the ids of the messages in its window",
    scope: "read",
    params: conversationPath,
    output: conversationShape,
    run: async ({ runtime, params }) => {
      const record = await runtime.conversations.find(params.conversation);
      return shownConversation(record, await windowIds(runtime, record));
    },
  }),
  route({
    method: "patch",
    path: "/conversations/:conversation",
    summary: "Set the summary of a conversation; null removes it",
    scope: "chat",
    params: conversationPath,
    body: given,
    output: conversationShape,
    run: async ({ runtime, params, body }) => {
      requireSupported(body);
      const { conversation: id } = params;
      if (body.summary === undefined) return shownConversation(await runtime.conversations.find(id));
      return shownConversation(await runtime.conversations.rename(id, body.summary));
    },
  }),
  route({
    method: "delete",
    path: "/conversations/:conversation",
    summary: "Delete a conversation with its messages",
    scope: "admin",
    params: conversationPath,
    output: z.null(),
    run: async ({ runtime, params }) => {
      await runtime.conversations.delete(params.conversation);
      return null;
    },
  }),
  route({
    method: "post",
    path: "/conversations/:conversation/fork",
    summary: "Copy a conversation into a new one",
    scope: "chat",
    params: namedPath,
    query: namedQuery.extend({ message_id: unserved }),
    output: conversationShape,
    run: async ({ runtime, params, query }) => {
      const { id, agentId, leafId } = await namedConversation(runtime, params.conversation, query.agent_id);
      const isEmpty = leafId === null;
      return shownConversation(
        isEmpty ? await runtime.conversations.create(agentId) : await runtime.conversations.fork(id),
      );
    },
  }),
];

/** Conversations that are sorted and filtered at once. */
const maxListed = 1000;
const defaultLimit = 50;

async function list(
  runtime: UserRuntime,
  query: z.output<typeof conversationsQuery>,
): Promise<readonly ConversationRecord[]> {
  const { agent_id: agentId = null, summary_search: wanted = "", order = "desc", limit = defaultLimit } = query;
  if (query.archive_status === "archived") return [];
  const all = await runtime.conversations.list(agentId, { limit: maxListed });
  const found = all.filter(
    (one) => one.id !== one.agentId && (one.title ?? "").toLowerCase().includes(wanted.toLowerCase()),
  );
  const timeOf = (one: ConversationRecord): number =>
    (query.order_by === "created_at" || query.order_by === undefined ? one.createdAt : one.updatedAt).getTime();
  const sorted = found.toSorted((one, other) => timeOf(one) - timeOf(other) || (one.id < other.id ? -1 : 1));
  const inOrder = order === "asc" ? sorted : sorted.toReversed();
  const start = inOrder.findIndex(({ id }) => id === query.after);
  const end = inOrder.findIndex(({ id }) => id === query.before);
  return inOrder.slice(start + 1, end === -1 ? undefined : end).slice(0, limit);
}

/** The prompt comes first. */
async function windowIds(runtime: UserRuntime, conversation: ConversationRecord): Promise<readonly string[]> {
  const agent = await openForReading(runtime, conversation);
  const shown = agent.messages.filter(({ role, kind }) => role !== "tool" && kind !== "event");
  return [messageId(conversation.id, "derived"), ...shown.map((message) => messageId(message.id))];
}
