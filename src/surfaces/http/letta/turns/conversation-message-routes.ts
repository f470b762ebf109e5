// Routes of `/v1` about the messages of a conversation: send, read, follow, cancel, and the window.
// Invariant: a conversation that is busy refuses a new message, and names the run that is under way.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { route, type Route } from "../../route.ts";
import { cancelRuns } from "./cancel-runs.ts";
import { compactConversation } from "./compact-conversation.ts";
import { namedConversation, readableConversation } from "./conversation-place.ts";
import { namedPath, namedQuery } from "./conversation-routes.ts";
import { idOf } from "../ids.ts";
import { queryTexts } from "../page-query.ts";
import { messageQuery } from "./message-query.ts";
import { compiledPrompt, readConversation, shownOf } from "./read-messages.ts";
import { followRequest, followRun } from "./run-routes.ts";
import { answerTurn } from "./run-turn-route.ts";
import { answerShape, cancelledShape, compactionShape, messagesShape } from "./shape-schemas.ts";
import { conversationRequest } from "./turn-request.ts";
import { WireFault } from "../wire-fault.ts";
import type { TurnRecord } from "./runtime-records.ts";

const followConversation = z
  .looseObject({
    ...followRequest.unwrap().unwrap().shape,
    agent_id: z.string().nullish(),
    run_id: idOf("run").nullish(),
    otid: z.string().nullish(),
  })
  .nullish();

const agentBody = z.looseObject({ agent_id: z.string().nullish() }).nullish();

export const conversationMessageRoutes: readonly Route[] = [
  route({
    method: "post",
    path: "/conversations/:conversation/messages",
    summary:
      "Send messages to a conversation, or decide about calls; the answer is streamed unless `streaming` is false",
    scope: "chat",
    params: namedPath,
    query: namedQuery,
    body: conversationRequest,
    output: answerShape,
    mayStream: true,
    run: async ({ runtime, params, query, body, signal }) => {
      const conversation = await namedConversation(runtime, params.conversation, body.agent_id ?? query.agent_id);
      const isStreaming = body.streaming !== false;
      return answerTurn({ runtime, conversation, request: body, isStreaming, isExclusive: true, signal });
    },
  }),
  route({
    method: "get",
    path: "/conversations/:conversation/messages",
    summary: "Get messages of a conversation, newest first",
    scope: "read",
    params: namedPath,
    query: namedQuery.extend({ ...messageQuery, include_return_message_types: queryTexts.optional() }),
    output: messagesShape,
    run: async ({ runtime, params, query }) => {
      const conversation = await readableConversation(runtime, params.conversation, query.agent_id);
      const rows = await readConversation(runtime, conversation, query);
      // The messages of an agent itself are oldest first on every page.
      const isOwn = conversation.id === conversation.agentId && query.order !== "asc";
      return shownOf(isOwn ? rows.toReversed() : rows, query);
    },
  }),
  route({
    method: "post",
    path: "/conversations/:conversation/stream",
    summary: "Stream the run that is under way, or a given one, from the message behind a number",
    scope: "chat",
    params: namedPath,
    query: namedQuery,
    body: followConversation,
    output: "events",
    run: async ({ runtime, params, query, body, signal }) => {
      const agentId = body?.agent_id ?? query.agent_id;
      const { id } = await namedConversation(runtime, params.conversation, agentId);
      const turn = await runToFollow(runtime, id, { runId: body?.run_id ?? null, otid: body?.otid ?? null });
      return followRun(runtime, turn, { request: body, signal });
    },
  }),
  route({
    method: "post",
    path: "/conversations/:conversation/cancel",
    summary: "Cancel the runs of a conversation that are under way",
    scope: "chat",
    params: namedPath,
    query: namedQuery,
    output: cancelledShape,
    run: async ({ runtime, params, query }) => {
      const { id, agentId } = await namedConversation(runtime, params.conversation, query.agent_id);
      const place = { agent: agentId, conversation: id };
      return cancelRuns(runtime, place, { runs: [], of: `conversation conv-${id}` });
    },
  }),
  route({
    method: "post",
    path: "/conversations/:conversation/recompile",
    summary: "Get the compiled prompt of a conversation, which is always up to date",
    scope: "chat",
    params: namedPath,
    query: namedQuery,
    body: agentBody,
    output: z.string(),
    run: async ({ runtime, params, query, body }) => {
      return compiledPrompt(
        runtime,
        await namedConversation(runtime, params.conversation, body?.agent_id ?? query.agent_id),
      );
    },
  }),
  route({
    method: "post",
    path: "/conversations/:conversation/compact",
    summary: "Summarize older messages of a conversation",
    scope: "chat",
    params: namedPath,
    query: namedQuery,
    body: agentBody,
    output: compactionShape,
    run: async ({ runtime, params, query, body }) => {
      const agentId = body?.agent_id ?? query.agent_id;
      return compactConversation(runtime, await namedConversation(runtime, params.conversation, agentId));
    },
  }),
];

/** Throws WireFault if nothing is under way, or no run has the `otid`. */
async function runToFollow(
  { turns }: UserRuntime,
  conversationId: string,
  { runId, otid }: { readonly runId: string | null; readonly otid: string | null },
): Promise<TurnRecord> {
  if (runId !== null) return turns.find(runId);
  if (otid !== null) {
    const turn = await turns.findByKey(conversationId, otid);
    if (turn !== null) return turn;
    const detail = `No run found for otid=${otid}. The run may have expired or never existed.`;
    throw new WireFault(404, "turn_not_found", { detail });
  }
  const [active] = await turns.list({ conversation: conversationId, states: ["queued", "running"], limit: 1 });
  if (active !== undefined) return active;
  const detail = "INVALID_ARGUMENT: No active runs found for this conversation.";
  throw new WireFault(400, "turn_not_found", { detail });
}
