// Routes of `/v1` that send messages to an agent, and read its own messages.
// Invariant: an agent's own messages are those of the conversation with the agent's UUID.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { route, type Route, type RouteCall } from "../../route.ts";
import { cancelRuns } from "./cancel-runs.ts";
import { conversationName, ownConversation, readableConversation } from "./conversation-place.ts";
import { idOf } from "../ids.ts";
import { queryFlag, queryTexts } from "../page-query.ts";
import { messageQuery } from "./message-query.ts";
import { readConversation, shownOf } from "./read-messages.ts";
import { shownRun } from "./run-shape.ts";
import { answerTurn, startUnread } from "./run-turn-route.ts";
import { answerShape, cancelledShape, messagesShape, runShape } from "./shape-schemas.ts";
import { turnRequest, type TurnRequest } from "./turn-request.ts";
import type { ConversationRecord } from "./runtime-records.ts";

const agentPath = z.looseObject({ agent: idOf("agent") });

const listQuery = z.looseObject({
  ...messageQuery,
  conversation_id: conversationName.optional(),
  include_return_message_types: queryTexts.optional(),
  use_assistant_message: queryFlag.optional(),
  assistant_message_tool_name: z.string().optional(),
  assistant_message_tool_kwarg: z.string().optional(),
});

type SendCall = RouteCall<z.output<typeof agentPath>, unknown, TurnRequest & { readonly streaming?: unknown }>;

async function send({ runtime, params, body, signal }: SendCall, isStreaming: boolean): Promise<unknown> {
  const conversation = await ownConversation(runtime, params.agent);
  return answerTurn({ runtime, conversation, request: body, isStreaming, isExclusive: false, signal });
}

export const messageRoutes: readonly Route[] = [
  route({
    method: "post",
    path: "/agents/:agent/messages",
    summary: "Send messages to an agent, or decide about calls; with `streaming`, the answer is streamed",
    scope: "chat",
    params: agentPath,
    body: turnRequest,
    output: answerShape,
    mayStream: true,
    run: (call) => send(call, call.body.streaming === true),
  }),
  route({
    method: "post",
    path: "/agents/:agent/messages/stream",
    summary: "Send messages to an agent, or decide about calls, and stream the answer",
    scope: "chat",
    params: agentPath,
    body: turnRequest,
    output: "events",
    run: (call) => send(call, true),
  }),
  route({
    method: "post",
    path: "/agents/:agent/messages/async",
    summary: "Send messages to an agent without waiting for the answer",
    scope: "chat",
    params: agentPath,
    body: turnRequest,
    output: runShape,
    run: async ({ runtime, params, body, signal }) => {
      const conversation = await ownConversation(runtime, params.agent);
      const id = await startUnread({
        runtime,
        conversation,
        request: body,
        isStreaming: false,
        isExclusive: false,
        signal,
      });
      return { ...shownRun(await runtime.turns.find(id)), status: "created" };
    },
  }),
  route({
    method: "post",
    path: "/agents/:agent/messages/cancel",
    summary: "Cancel runs of an agent: the given ones, or all that are under way",
    scope: "chat",
    params: agentPath,
    body: z.looseObject({ run_ids: z.array(idOf("run")).nullish() }),
    output: cancelledShape,
    run: ({ runtime, params, body }) =>
      cancelRuns(runtime, { agent: params.agent }, { runs: body.run_ids ?? [], of: `agent agent-${params.agent}` }),
  }),
  route({
    method: "get",
    path: "/agents/:agent/messages",
    summary: "Get messages of an agent: a page of the newest, or of the oldest, oldest first",
    scope: "read",
    params: agentPath,
    query: listQuery,
    output: messagesShape,
    run: async ({ runtime, params, query }) => {
      const rows = await readConversation(runtime, await listed(runtime, params.agent, query.conversation_id), query);
      return shownOf(query.order === "asc" ? rows : rows.toReversed(), query);
    },
  }),
];

function listed(
  runtime: UserRuntime,
  agentId: string,
  conversationId: string | undefined,
): Promise<ConversationRecord> {
  return readableConversation(runtime, conversationId ?? "default", `agent-${agentId}`);
}
