// Routes of `/api` that start, read, continue and stop turns.
// Invariant: a client that disconnects stops no turn; it reads the rest with the number of the last event that it got.
import * as z from "zod";
import type { Agent } from "../../../agent/agent.ts";
import { Fault } from "../fault.ts";
import { followTurn } from "../follow-turn.ts";
import { route, type Route } from "../route.ts";
import { fileOf } from "../sent-file.ts";
import { openIn } from "./found.ts";
import { callPath, conversationPath, given, queryNumber, turnPath } from "./parameters.ts";
import { startedShape } from "./shapes.ts";
import { continued, type OpenedEvents, optionsOf, streamOf, turnOptions } from "./turn-stream.ts";

const file = z.strictObject({
  url: z
    .string()
    .describe("The content as `data:TYPE;base64,CONTENT`, or an address that the model's provider fetches."),
  name: z.string().optional(),
  mediaType: z.string().optional(),
});

const message = z.strictObject({
  role: z.enum(["user", "system"]).optional(),
  /** May be blank if there are files. */
  text: z.string(),
  name: z.string().optional(),
  files: z.array(file).max(100).optional(),
  idempotencyKey: z.string().optional(),
});

const input = turnOptions.extend({
  messages: z.array(message).min(1).max(100),
  onWaiting: z.enum(["supersede", "refuse"]).optional(),
});

// As a literal type: a path that is any text would make the client accept every name of a route.
const turnsPath = "/agents/:agent/conversations/:conversation/turns" as const;

export const turnRoutes = [
  route({
    method: "post",
    path: turnsPath,
    summary: "Send messages, and start a turn that answers them",
    scope: "chat",
    params: conversationPath,
    body: input,
    status: 202,
    output: startedShape,
    run: async ({ runtime, params, body: { messages, ...options } }) => {
      const agent = await openIn(runtime, params);
      const { id } = await agent.start({ messages: messages.map(sent) }, optionsOf(options));
      return started(agent, id);
    },
  }),
  route({
    method: "get",
    path: `${turnsPath}/:turn/events`,
    summary:
      "Read the events of a turn, from the one after `after` or after the header `Last-Event-ID`; with a key that may chat, a turn whose process ended goes on",
    scope: "read",
    params: turnPath,
    query: z.strictObject({ after: queryNumber.optional() }),
    output: "events",
    run: ({ runtime, params, query, headers, signal }) => {
      const after = query.after ?? lastEventId(headers);
      const open = async (): Promise<OpenedEvents> => {
        const agent = await openIn(runtime, params, { withoutCalls: true, forReading: true });
        const turn = { id: params.turn, agentId: agent.record.id, conversationId: agent.conversationId };
        return { events: followTurn(runtime, turn, { after, signal }) };
      };
      return streamOf(open, signal);
    },
  }),
  route({
    method: "post",
    path: "/agents/:agent/conversations/:conversation/stop",
    summary: "Stop the running turn, and keep what it streamed",
    scope: "chat",
    params: conversationPath,
    body: z.strictObject({}),
    output: z.strictObject({ isStopped: z.boolean() }),
    run: async ({ runtime, params }) => {
      const agent = await openIn(runtime, params, { withoutCalls: true });
      return { isStopped: await agent.stop() };
    },
  }),
  route({
    method: "post",
    path: "/agents/:agent/conversations/:conversation/resume",
    summary: "Continue a turn that a failure or an interruption ended early",
    scope: "chat",
    params: conversationPath,
    body: turnOptions,
    output: "events",
    run: (call) => continued(call, (agent, options) => agent.resume(options)),
  }),
  route({
    method: "post",
    path: "/agents/:agent/conversations/:conversation/calls/:call/approve",
    summary: "Approve a waiting tool call, and continue the turn",
    scope: "chat",
    params: callPath,
    body: turnOptions.extend({ arguments: z.record(z.string(), z.unknown()).optional() }),
    output: "events",
    run: (call) =>
      continued(call, (agent, options) => {
        return agent.approve(call.params.call, { ...options, ...given({ arguments: call.body.arguments }) });
      }),
  }),
  route({
    method: "post",
    path: "/agents/:agent/conversations/:conversation/calls/:call/deny",
    summary: "Deny a waiting tool call, and continue the turn",
    scope: "chat",
    params: callPath,
    body: turnOptions.extend({ reason: z.string().optional() }),
    output: "events",
    run: (call) =>
      continued(call, (agent, options) => {
        return agent.deny(call.params.call, { ...options, ...given({ reason: call.body.reason }) });
      }),
  }),
  route({
    method: "post",
    path: "/agents/:agent/conversations/:conversation/results",
    summary: "Give the results of calls that the client ran, and continue the turn",
    scope: "chat",
    params: conversationPath,
    body: turnOptions.extend({
      results: z
        .array(
          z.strictObject({
            callId: z.string(),
            status: z.enum(["ok", "failed"]),
            text: z.string(),
            printed: z.exactOptional(z.strictObject({ stdout: z.string(), stderr: z.string() })),
          }),
        )
        .min(1),
    }),
    output: "events",
    run: (call) => continued(call, (agent, options) => agent.answer(call.body.results, options)),
  }),
] as const satisfies readonly Route[];

function sent({ files, ...others }: z.output<typeof message>) {
  const kept = files?.map(({ url, name, mediaType }, at) => fileOf({ url, name, mediaType, number: at + 1 }));
  return given({ ...others, files: kept });
}

function started({ record, conversationId }: Agent, turnId: string): z.output<typeof startedShape> {
  return { turnId, agentId: record.id, conversationId };
}

function lastEventId(headers: Headers): number {
  const text = headers.get("last-event-id");
  if (text === null) return 0;
  if (/^\d{1,9}$/u.test(text)) return Number(text);
  const message = "Expected the number of an event in the header Last-Event-ID.";
  throw new Fault(400, "input_invalid", message, { fields: [{ field: "header.Last-Event-ID", message }] });
}
