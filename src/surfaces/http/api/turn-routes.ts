// Defines the routes of `/api` that start a turn, read it, and list the calls that it waits for.
// Invariant: a client that disconnects does not stop a turn, and can later read the events after the last one that it
// received.
import * as z from "zod";
import { form } from "../../../base/arguments/forms.ts";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import { approvalFields, pendingResultFields } from "../../../runtime/turns/contract.ts";
import { Fault } from "../fault.ts";
import { followTurn } from "../follow-turn.ts";
import { route, type Route } from "../route.ts";
import { fileOf } from "../sent-file.ts";
import { given } from "../../../base/given.ts";
import { conversationPath, queryNumber, recordShape } from "./form-shapes.ts";
import { streamOf } from "./turn-stream.ts";

const file = z.strictObject({
  url: z
    .string()
    .describe("The content as `data:TYPE;base64,CONTENT`, or an address that the model's provider fetches."),
  name: z.string().optional(),
  mediaType: z.string().optional(),
});

const message = z.strictObject({
  role: z.enum(["user", "system"]).optional(),
  /** The text of the message; may be blank if there are files. */
  text: z.string(),
  name: z.string().optional(),
  files: z.array(file).max(100).optional(),
  idempotencyKey: z.string().optional(),
});

const clientTool = z.strictObject({
  name: z.string(),
  description: z.string(),
  parameters: z.looseObject({ type: z.literal("object") }),
});

const turnOptions = z.strictObject({
  maxSteps: z.int().optional(),
  budget: z
    .strictObject({ tokens: z.number().nullable().optional(), dollars: z.number().nullable().optional() })
    .optional(),
  clientTools: z.array(clientTool).optional(),
  model: z.string().optional(),
  systemPrompt: z.string().optional(),
});

const input = turnOptions.extend({
  messages: z.array(message).min(1).max(100),
  onWaiting: z.enum(["supersede", "refuse"]).optional(),
});

const startedShape = z.strictObject({ turnId: z.string(), agentId: z.string(), conversationId: z.string() });

// The type is literal: with a path of type `string`, the typed client would accept any name of a route.
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
    checksKey: true,
    run: async ({ runtime, params, body }) => {
      const { agent, sent: messages, options } = await requested(runtime, params, body);
      const { id } = await agent.start(messages, options);
      return { turnId: id, agentId: agent.record.id, conversationId: agent.conversationId };
    },
  }),
  route({
    method: "post",
    path: `${turnsPath}/events`,
    summary: "Send messages, and read the events of the turn that answers them",
    scope: "chat",
    params: conversationPath,
    body: input,
    status: 202,
    output: "events",
    checksKey: true,
    run: async ({ runtime, params, body, signal }) => {
      const { agent, sent: messages, options } = await requested(runtime, params, body);
      // Events that are not stored can only be read from `send`, which waits for its turn as long as `start` does.
      const patient = { waitMs: Infinity, ...options };
      if (!agent.storesEvents) return streamOf(async () => ({ events: agent.send(messages, patient) }), signal);
      const { id, events } = await agent.start(messages, options);
      const turn = { id, agentId: agent.record.id, conversationId: agent.conversationId };
      const started = events({ signal });
      return streamOf(async () => ({ events: followTurn(runtime, turn, { signal, started }) }), signal);
    },
  }),
  route({
    method: "get",
    path: `${turnsPath}/:turn/events`,
    summary:
      "Read the events of a turn after the number in `after` or in the header `Last-Event-ID`; a key that may chat also continues a turn whose process ended",
    scope: "read",
    params: conversationPath.extend({ turn: z.uuid() }),
    query: z.strictObject({ after: queryNumber.optional() }),
    output: "events",
    checksKey: true,
    run: ({ runtime, params, query, headers, signal }) => {
      const after = query.after ?? lastEventId(headers);
      const turn = { id: params.turn, agentId: params.agent, conversationId: params.conversation };
      return streamOf(async () => ({ events: followTurn(runtime, turn, { after, signal }) }), signal);
    },
  }),
  route({
    method: "get",
    path: "/agents/:agent/conversations/:conversation/waiting",
    summary: "List the tool calls that wait for approval or for a result",
    scope: "read",
    params: conversationPath,
    output: recordShape({ approvals: form.records(approvalFields), results: form.records(pendingResultFields) }),
    run: async ({ runtime, params }) => {
      const conversation = { id: params.conversation };
      const agent = await runtime.agents.open(params.agent, { conversation, withoutCalls: true, forReading: true });
      return { approvals: agent.pendingApprovals, results: agent.pendingResults };
    },
  }),
] as const satisfies readonly Route[];

async function requested(
  runtime: UserRuntime,
  { agent: name, conversation }: z.output<typeof conversationPath>,
  { messages, budget, ...options }: z.output<typeof input>,
) {
  const agent = await runtime.agents.openForTurn(conversation, { agent: name });
  const limits = budget === undefined ? {} : { budget: given(budget) };
  return { agent, sent: { messages: messages.map(sent) }, options: { ...given(options), ...limits } };
}

function sent({ files, ...others }: z.output<typeof message>) {
  const kept = files?.map(({ url, name, mediaType }, at) => fileOf({ url, name, mediaType, number: at + 1 }));
  return given({ ...others, files: kept });
}

function lastEventId(headers: Headers): number {
  const text = headers.get("last-event-id");
  if (text === null) return 0;
  if (/^\d{1,9}$/u.test(text)) return Number(text);
  const message = "Expected the number of an event in the header Last-Event-ID.";
  throw new Fault(400, "input_invalid", message, { fields: [{ field: "header.Last-Event-ID", message }] });
}
