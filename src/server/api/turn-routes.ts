// Routes of `/api` that start, read, continue and stop turns.
// Invariant: a client that disconnects stops no turn; it reads the rest with the number of the last event that it got.
import * as z from "zod";
import type { Agent } from "../../agent/agent.ts";
import type { AgentEvent } from "../../agent/events.ts";
import { systemClock } from "../../base/clock.ts";
import { type EventStream, type SentEvent, startedStream } from "../event-stream.ts";
import { Fault } from "../fault.ts";
import { route, type Route, type RouteCall } from "../route.ts";
import { openIn } from "./found.ts";
import { callPath, conversationPath, given, queryNumber, turnPath } from "./parameters.ts";
import { startedShape } from "./shapes.ts";

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

const message = z.strictObject({
  role: z.enum(["user", "system"]).optional(),
  text: z.string(),
  name: z.string().optional(),
  idempotencyKey: z.string().optional(),
});

const input = turnOptions.extend({
  messages: z.array(message).min(1).max(100),
  onWaiting: z.enum(["supersede", "refuse"]).optional(),
});

const turnsPath = "/agents/:agent/conversations/:conversation/turns";

export const turnRoutes: readonly Route[] = [
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
      const { id } = await agent.start({ messages: messages.map((each) => given(each)) }, optionsOf(options));
      return started(agent, id);
    },
  }),
  route({
    method: "get",
    path: `${turnsPath}/:turn/events`,
    summary: "Read the events of a turn, from the one after `after` or after the header `Last-Event-ID`",
    scope: "read",
    params: turnPath,
    query: z.strictObject({ after: queryNumber.optional() }),
    output: "events",
    run: ({ runtime, params, query, headers, signal }) => {
      const after = query.after ?? lastEventId(headers);
      const open = async (): Promise<OpenedEvents> => {
        const agent = await openIn(runtime, params, { withoutCalls: true });
        return { events: agent.events(params.turn, { after, signal }) };
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
        .array(z.strictObject({ callId: z.string(), status: z.enum(["ok", "failed"]), text: z.string() }))
        .min(1),
    }),
    output: "events",
    run: (call) => continued(call, (agent, options) => agent.answer(call.body.results, options)),
  }),
];

type GivenOptions = z.output<typeof turnOptions> & { readonly onWaiting?: "supersede" | "refuse" | undefined };
type ContinueOptions = Parameters<Agent["resume"]>[0] & {};

function optionsOf({ budget, onWaiting, ...options }: GivenOptions) {
  return { ...given(options), ...given({ onWaiting }), ...(budget === undefined ? {} : { budget: given(budget) }) };
}

/** Continues a turn, and returns the events from then on. */
function continued<Params extends z.output<typeof conversationPath>, Body extends GivenOptions>(
  { runtime, params, body, signal }: RouteCall<Params, unknown, Body>,
  run: (agent: Agent, options: ContinueOptions) => AsyncIterable<AgentEvent>,
): Promise<EventStream> {
  const { maxSteps, budget, clientTools, model, systemPrompt } = body;
  const options = optionsOf({ maxSteps, budget, clientTools, model, systemPrompt });
  return streamOf(async () => ({ events: run(await openIn(runtime, params), options) }), signal);
}

function started({ record, conversationId }: Agent, turnId: string): z.output<typeof startedShape> {
  return { turnId, agentId: record.id, conversationId };
}

/** In an object, because a promise that resolves to the events of a turn would await the end of the turn. */
interface OpenedEvents {
  readonly events: AsyncIterable<AgentEvent>;
}

function streamOf(open: () => Promise<OpenedEvents>, signal: AbortSignal): Promise<EventStream> {
  return startedStream(eventsOf(open, signal), systemClock);
}

/** Opens a stream of events when it is first read. The reading, but not the turn, ends with the signal. */
async function* eventsOf(open: () => Promise<OpenedEvents>, signal: AbortSignal): AsyncGenerator<SentEvent, void> {
  try {
    for await (const event of (await open()).events) {
      if (signal.aborted) return;
      yield { id: String(event.sequence), event: event.type, data: event };
    }
  } catch (error) {
    // Reading ends with the signal's reason when the client disconnects: nobody is there to be told.
    if (!signal.aborted) throw error;
  }
}

function lastEventId(headers: Headers): number {
  const text = headers.get("last-event-id");
  if (text === null) return 0;
  if (/^\d{1,9}$/u.test(text)) return Number(text);
  const message = "Expected the number of an event in the header Last-Event-ID.";
  throw new Fault(400, "input_invalid", message, { fields: [{ field: "header.Last-Event-ID", message }] });
}
