// Routes of `/api` that change the thread of a conversation, or ask beside it.
// Invariant: what leaves the thread becomes a branch, and the memory that it changed is reverted with it.
import * as z from "zod";
import { route, type Route } from "../route.ts";
import { openIn } from "./found.ts";
import { conversationPath, given } from "./parameters.ts";
import { editedReplyShape, foundMessageShape, revertedShape, sideAnswerShape } from "./shapes.ts";
import { continued, turnOptions } from "./turn-stream.ts";

/** Whether memory edits of removed messages are reverted; default `revert`. */
const memory = z.enum(["revert", "keep"]).optional();

export const threadRoutes = [
  route({
    method: "get",
    path: "/messages/:message",
    summary: "Get a message, also of an abandoned branch, with its calls and edits",
    scope: "read",
    params: z.strictObject({ message: z.uuid() }),
    output: foundMessageShape,
    run: ({ runtime, params }) => runtime.conversations.message(params.message),
  }),
  route({
    method: "post",
    path: "/agents/:agent/conversations/:conversation/retry",
    summary: "Answer the last message of the user again",
    scope: "chat",
    params: conversationPath,
    body: turnOptions.extend({ memory }),
    output: "events",
    run: (call) =>
      continued(call, (agent, options) => agent.retry({ ...options, ...given({ memory: call.body.memory }) })),
  }),
  route({
    method: "post",
    path: "/agents/:agent/conversations/:conversation/regenerate",
    summary: "Run the turn again from any message of the thread",
    scope: "chat",
    params: conversationPath,
    body: turnOptions.extend({ messageId: z.uuid(), memory }),
    output: "events",
    run: (call) =>
      continued(call, (agent, options) => {
        return agent.regenerate(call.body.messageId, { ...options, ...given({ memory: call.body.memory }) });
      }),
  }),
  route({
    method: "post",
    path: "/agents/:agent/conversations/:conversation/pop",
    summary: "Remove the last messages, and revert their changes of memory",
    scope: "chat",
    params: conversationPath,
    body: z.strictObject({ count: z.int().optional(), memory }),
    output: revertedShape,
    run: async ({ runtime, params, body: { count, ...options } }) => {
      return (await openIn(runtime, params, { withoutCalls: true })).pop(count, given(options));
    },
  }),
  route({
    method: "post",
    path: "/agents/:agent/conversations/:conversation/rewrite",
    summary: "Replace the text of the last reply; the original becomes a branch",
    scope: "chat",
    params: conversationPath,
    body: z.strictObject({ text: z.string() }),
    output: editedReplyShape,
    run: async ({ runtime, params, body }) => {
      return (await openIn(runtime, params, { withoutCalls: true })).rewrite(body.text);
    },
  }),
  route({
    method: "post",
    path: "/agents/:agent/conversations/:conversation/ask",
    summary: "Answer a question from the window, without storing anything",
    scope: "chat",
    params: conversationPath,
    body: z.strictObject({ question: z.string() }),
    output: sideAnswerShape,
    run: async ({ runtime, params, body, signal }) => (await openIn(runtime, params)).ask(body.question, { signal }),
  }),
] as const satisfies readonly Route[];
