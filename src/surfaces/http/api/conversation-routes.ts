// Routes of `/api` about conversations and their window.
import * as z from "zod";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import { route, type Route } from "../route.ts";
import { SentBytes } from "../sent-bytes.ts";
import { conversationIn, type ConversationPath, openIn } from "./found.ts";
import { agentPath, conversationPath, given, limitQuery, listQuery } from "./parameters.ts";
import {
  branchShape,
  compactionShape,
  conversationShape,
  exportedMessageShape,
  messagesShape,
  stepShape,
  storedCompactionShape,
  undoneCompactionShape,
  waitingCallShape,
  windowShape,
} from "./shapes.ts";
import { sentTime } from "../wire-time.ts";

/** Opens the agent without its model's key: no model is called. */
const look = (runtime: UserRuntime, path: ConversationPath) => openIn(runtime, path, { withoutCalls: true });
/** Opens the agent without writing. */
const read = (runtime: UserRuntime, path: ConversationPath) =>
  openIn(runtime, path, { withoutCalls: true, forReading: true });

export const conversationRoutes = [
  route({
    method: "get",
    path: "/agents/:agent/conversations",
    summary: "List the conversations with an agent, most recently used first",
    scope: "read",
    params: agentPath,
    query: listQuery,
    output: z.array(conversationShape),
    run: ({ runtime, params, query }) => runtime.conversations.list(params.agent, given(query)),
  }),
  route({
    method: "post",
    path: "/agents/:agent/conversations/import",
    summary: "Import a conversation from another program",
    scope: "admin",
    params: agentPath,
    body: z.strictObject({
      title: z.string().optional(),
      messages: z.array(
        z.strictObject({
          role: z.enum(["user", "assistant"]),
          speaker: z.string().optional(),
          text: z.string(),
          at: sentTime(),
        }),
      ),
    }),
    status: 201,
    output: conversationShape,
    run: ({ runtime, params, body: { messages, ...options } }) =>
      runtime.conversations.import(params.agent, { ...given(options), messages: messages.map((each) => given(each)) }),
  }),
  route({
    method: "get",
    path: "/agents/:agent/conversations/:conversation",
    summary: "Get a conversation",
    scope: "read",
    params: conversationPath,
    output: conversationShape,
    run: ({ runtime, params }) => conversationIn(runtime, params),
  }),
  route({
    method: "get",
    path: "/agents/:agent/conversations/:conversation/export",
    summary: "Get the messages of the thread in the form of an import",
    scope: "read",
    params: conversationPath,
    output: z.array(exportedMessageShape),
    run: async ({ runtime, params }) => {
      await conversationIn(runtime, params);
      return runtime.conversations.export(params.conversation);
    },
  }),
  route({
    method: "post",
    path: "/agents/:agent/conversations",
    summary: "Start a conversation",
    scope: "chat",
    params: agentPath,
    body: z.strictObject({ title: z.string().optional() }),
    status: 201,
    output: conversationShape,
    run: async ({ runtime, params, body }) => {
      const { conversationId: id } = await runtime.agents.open(params.agent, {
        conversation: "new",
        withoutCalls: true,
      });
      if (body.title !== undefined) await runtime.conversations.rename(id, body.title);
      return runtime.conversations.find(id);
    },
  }),
  route({
    method: "patch",
    path: "/agents/:agent/conversations/:conversation",
    summary: "Set the title of a conversation; null removes it",
    scope: "chat",
    params: conversationPath,
    body: z.strictObject({ title: z.string().nullable() }),
    output: conversationShape,
    run: async ({ runtime, params, body }) => {
      await conversationIn(runtime, params);
      return runtime.conversations.rename(params.conversation, body.title);
    },
  }),
  route({
    method: "delete",
    path: "/agents/:agent/conversations/:conversation",
    summary: "Delete a conversation with its messages",
    scope: "admin",
    params: conversationPath,
    output: null,
    run: async ({ runtime, params }) => {
      await conversationIn(runtime, params);
      await runtime.conversations.delete(params.conversation);
    },
  }),
  route({
    method: "get",
    path: "/agents/:agent/conversations/:conversation/messages",
    summary: "Get messages with their tool calls and edits, oldest first",
    scope: "read",
    params: conversationPath,
    query: limitQuery.extend({
      before: z.uuid().optional(),
      after: z.uuid().optional(),
      from: z.enum(["beginning", "end"]).optional(),
    }),
    output: messagesShape,
    run: async ({ runtime, params, query }) => {
      await conversationIn(runtime, params);
      return runtime.conversations.messages(params.conversation, given(query));
    },
  }),
  route({
    method: "get",
    path: "/agents/:agent/conversations/:conversation/files/:attachment",
    summary: "Download a stored file of a message",
    scope: "read",
    params: conversationPath.extend({ attachment: z.uuid() }),
    output: "bytes",
    run: async ({ runtime, params }) => {
      await conversationIn(runtime, params);
      return new SentBytes(await runtime.conversations.file(params.conversation, params.attachment));
    },
  }),
  route({
    method: "get",
    path: "/agents/:agent/conversations/:conversation/branches",
    summary: "List the ends of the conversation's tree",
    scope: "read",
    params: conversationPath,
    output: z.array(branchShape),
    run: async ({ runtime, params }) => {
      const { id } = await conversationIn(runtime, params);
      return runtime.conversations.branches(id);
    },
  }),
  route({
    method: "post",
    path: "/agents/:agent/conversations/:conversation/switch",
    summary: "Continue from another message of the tree",
    scope: "chat",
    params: conversationPath,
    body: z.strictObject({ messageId: z.uuid() }),
    output: null,
    run: async ({ runtime, params, body }) => (await look(runtime, params)).switchTo(body.messageId),
  }),
  route({
    method: "post",
    path: "/agents/:agent/conversations/:conversation/fork",
    summary: "Copy a conversation into a new one",
    scope: "chat",
    params: conversationPath,
    body: z.strictObject({}),
    status: 201,
    output: conversationShape,
    run: async ({ runtime, params }) => {
      await conversationIn(runtime, params);
      return runtime.conversations.fork(params.conversation);
    },
  }),
  route({
    method: "get",
    path: "/agents/:agent/conversations/:conversation/window",
    summary: "Get the request that the model would receive now, with a report on the window",
    scope: "read",
    params: conversationPath,
    output: windowShape,
    run: async ({ runtime, params }) => (await read(runtime, params)).context(),
  }),
  route({
    method: "get",
    path: "/agents/:agent/conversations/:conversation/steps",
    summary: "List model calls, newest first, each with the report on its window",
    scope: "read",
    params: conversationPath,
    query: limitQuery,
    output: z.array(stepShape),
    run: async ({ runtime, params, query }) => (await read(runtime, params)).steps(query.limit),
  }),
  route({
    method: "get",
    path: "/agents/:agent/conversations/:conversation/waiting",
    summary: "List the tool calls that wait for approval or for a result",
    scope: "read",
    params: conversationPath,
    output: z.strictObject({ approvals: z.array(waitingCallShape), results: z.array(waitingCallShape) }),
    run: async ({ runtime, params }) => {
      const { pendingApprovals: approvals, pendingResults: results } = await read(runtime, params);
      return { approvals, results };
    },
  }),
  route({
    method: "post",
    path: "/agents/:agent/conversations/:conversation/compact",
    summary: "Summarize older messages now",
    scope: "chat",
    params: conversationPath,
    body: z.strictObject({ focus: z.string().optional() }),
    output: compactionShape,
    run: async ({ runtime, params, body }) => (await openIn(runtime, params)).compact(given(body)),
  }),
  route({
    method: "get",
    path: "/agents/:agent/conversations/:conversation/compactions",
    summary: "List the compactions of the window, newest first",
    scope: "read",
    params: conversationPath,
    query: limitQuery,
    output: z.array(storedCompactionShape),
    run: async ({ runtime, params, query }) => (await read(runtime, params)).compactions(query.limit),
  }),
  route({
    method: "post",
    path: "/agents/:agent/conversations/:conversation/clear-window",
    summary: "Remove all messages from the window without a summary; null if there were none",
    scope: "chat",
    params: conversationPath,
    body: z.strictObject({}),
    output: compactionShape.nullable(),
    run: async ({ runtime, params }) => (await look(runtime, params)).clearWindow(),
  }),
  route({
    method: "post",
    path: "/agents/:agent/conversations/:conversation/undo-compaction",
    summary: "Undo the newest compaction of the window",
    scope: "chat",
    params: conversationPath,
    body: z.strictObject({}),
    output: undoneCompactionShape,
    run: async ({ runtime, params }) => (await look(runtime, params)).undoCompaction(),
  }),
] as const satisfies readonly Route[];
