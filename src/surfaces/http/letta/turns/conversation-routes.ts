// Defines the routes of `/v1` for conversations. Letta's summary is our title: one line of at most 200 characters.
// Invariant: lists leave out the conversation with an agent's own messages, which is named `default` in paths.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { openForReading } from "../../follow-turn.ts";
import type { Route } from "../../route.ts";
import { idOf, messageId, shownUserId } from "../ids.ts";
import { on, type RecordKind, recordRoutes } from "../letta-routes.ts";
import { pageOf, turnsQuery } from "../pages.ts";
import type { ConversationRecord } from "../runtime-records.ts";
import { invalidArgument, unserved } from "../wire-fault.ts";
import {
  emptyList,
  fixed,
  given,
  idWith,
  momentOf,
  nullableText,
  nulls,
  recordOf,
  text,
  texts,
} from "../wire-record.ts";
import { conversationOf, namedPath, namedQuery } from "./conversation-place.ts";

/** A conversation in a response. `window`: the ids of the messages in its window; absent in lists. */
type ShownConversation = ConversationRecord & { readonly window?: readonly string[] };

const conversationRecord = recordOf<ShownConversation>()({
  created_by_id: fixed(shownUserId),
  last_updated_by_id: fixed(shownUserId),
  created_at: [text, ({ createdAt }) => momentOf(createdAt)],
  updated_at: [text, ({ updatedAt }) => momentOf(updatedAt)],
  id: idWith("conv"),
  agent_id: [text, ({ agentId }) => `agent-${agentId}`],
  summary: [nullableText, "title"],
  in_context_message_ids: [texts, ({ window }) => window ?? []],
  isolated_block_ids: emptyList,
  ...nulls("model", "model_settings"),
  last_message_at: [nullableText, ({ leafId, updatedAt }) => (leafId === null ? null : momentOf(updatedAt))],
});

const conversationKind: RecordKind<ShownConversation> = {
  param: "conversation",
  one: "a conversation",
  many: "conversations, newest first",
  shape: conversationRecord.shape,
  show: (conversations) => conversations.map(conversationRecord.show),
};

const conversationsQuery = z.looseObject({
  ...turnsQuery("conv"),
  agent_id: idOf("agent").optional(),
  summary_search: text.optional(),
  // No conversation of this server is archived, so `archived` lists none.
  archive_status: z.enum(["all", "unarchived", "archived"]).optional(),
  order_by: z.enum(["created_at", "last_run_completion", "last_message_at"]).optional(),
});

const details = z.looseObject({
  summary: text.nullish(),
  model: text.nullish(),
  model_settings: z.unknown().optional(),
  isolated_block_labels: z.array(text).nullish(),
});

const conversation = recordRoutes("/conversations", conversationKind);

export const conversationRoutes: readonly Route[] = [
  conversation.create({
    summary: "Start a conversation with an agent",
    scope: "chat",
    query: z.looseObject({ agent_id: idOf("agent") }),
    body: details.nullish(),
    run: async ({ runtime, query, body }) => {
      requireSupported(body ?? {});
      return runtime.conversations.create(query.agent_id, given({ title: body?.summary }));
    },
  }),
  conversation.list({ query: conversationsQuery, run: ({ runtime, query }) => listConversations(runtime, query) }),
  conversation.get({
    summary: "Get a conversation, with the ids of the messages in its window",
    run: async ({ runtime }, id) => {
      const record = await runtime.conversations.find(id);
      return { ...record, window: await windowIds(runtime, record) };
    },
  }),
  conversation.change({
    summary: "Set the summary of a conversation; null removes it",
    scope: "chat",
    body: details,
    run: async ({ runtime, body }, id) => {
      requireSupported(body);
      const { summary } = body;
      return summary === undefined ? runtime.conversations.find(id) : runtime.conversations.rename(id, summary);
    },
  }),
  conversation.remove({
    summary: "Delete a conversation with its messages",
    run: ({ runtime }, id) => runtime.conversations.delete(id),
  }),
  on("post /conversations/:conversation/fork", "chat", "Copy a conversation into a new one", {
    params: namedPath,
    query: namedQuery.extend({ message_id: unserved }),
    output: conversationRecord.shape,
    run: async (call) => {
      const { conversations } = call.runtime;
      const { id, agentId, leafId } = await conversationOf(call).find();
      return conversationRecord.show(
        leafId === null ? await conversations.create(agentId) : await conversations.fork(id),
      );
    },
  }),
];

/** Checks a request. Throws Fault `input_invalid` for a field that conversations of this server do not support. */
function requireSupported(request: Partial<z.output<typeof details>>): void {
  const { model = null, model_settings: settings = null, isolated_block_labels: labels } = request;
  if (model !== null || settings !== null)
    throw invalidArgument(
      "body.model",
      "Conversations use the model of their agent. Set the model on the agent, or send `override_model` with a message.",
    );
  if ((labels ?? []).length > 0)
    throw invalidArgument(
      "body.isolated_block_labels",
      "All conversations of an agent share its blocks. For separate blocks, create another agent.",
    );
}

/** Maximum number of conversations that are filtered and sorted for a list. */
const maxListed = 1000;

async function listConversations(
  { conversations }: UserRuntime,
  query: z.output<typeof conversationsQuery>,
): Promise<readonly ConversationRecord[]> {
  const { agent_id: agentId = null, summary_search: wanted = "", order_by: orderBy = "created_at" } = query;
  if (query.archive_status === "archived") return [];
  const found = (await conversations.list(agentId, { limit: maxListed })).filter(
    (one) => one.id !== one.agentId && (one.title ?? "").toLowerCase().includes(wanted.toLowerCase()),
  );
  const timeOf = ({ createdAt, updatedAt }: ConversationRecord): number =>
    Number(orderBy === "created_at" ? createdAt : updatedAt);
  const sorted = found.toSorted((one, other) => timeOf(one) - timeOf(other) || (one.id < other.id ? -1 : 1));
  return pageOf(sorted, query);
}

/** Returns the id of the prompt, then the ids of the messages in the window. */
async function windowIds(runtime: UserRuntime, record: ConversationRecord): Promise<readonly string[]> {
  const agent = await openForReading(runtime, record);
  const shown = agent.messages.filter(({ role, kind }) => role !== "tool" && kind !== "event");
  return [messageId(record.id, "derived"), ...shown.map((message) => messageId(message.id))];
}
