// The door `/openai/v1`: agents as models of OpenAI's API, for programs that speak it.
// Invariant: a request adds to the agent's conversation only what follows the last reply in it; system messages have no effect.
import * as z from "zod";
import type { Agent } from "../../agent/agent.ts";
import type { AgentEvent } from "../../agent/events.ts";
import { systemClock } from "../../base/clock.ts";
import type { UserRuntime } from "../../runtime/runtime.ts";
import type { Door } from "../door.ts";
import { startedStream } from "../event-stream.ts";
import type { Fault } from "../fault.ts";
import { route, type RouteCall } from "../route.ts";
import { type ChatInput, type ChatRequest, chatRequest, inputOf } from "./chat-request.ts";
import { completionChunks, type CompletionPlace, wholeCompletion } from "./completion.ts";
import { findConversation } from "./find-conversation.ts";

const modelShape = z.strictObject({
  id: z.string(),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string(),
});

const completionShape = z.looseObject({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int(),
  model: z.string(),
  conversation_id: z.string(),
  choices: z.array(z.looseObject({ index: z.int(), message: z.looseObject({}), finish_reason: z.string() })),
  usage: z.looseObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }),
});

const errorShape = z.strictObject({
  error: z.strictObject({ message: z.string(), type: z.string(), code: z.string(), param: z.string().nullable() }),
});

export const openAiDoor: Door = {
  path: "/openai/v1",
  routes: [
    route({
      method: "get",
      path: "/models",
      summary: "List the agents as models",
      scope: "read",
      output: z.strictObject({ object: z.literal("list"), data: z.array(modelShape) }),
      isLimitedToKey: true,
      run: async ({ runtime, keyAgentId }) => {
        const agents = await runtime.agents.list();
        const reached = agents.filter(({ id }) => keyAgentId === null || id === keyAgentId);
        return { object: "list", data: reached.map(modelOf) };
      },
    }),
    route({
      method: "get",
      path: "/models/:agent",
      summary: "Get an agent as a model",
      scope: "read",
      params: z.strictObject({ agent: z.string() }),
      output: modelShape,
      run: async ({ runtime, params }) => modelOf(await runtime.agents.find(params.agent)),
    }),
    route({
      method: "post",
      path: "/chat/completions",
      summary: "Send messages to an agent; with `stream`, the answer is streamed",
      scope: "chat",
      agentOf: (body) => (body as ChatRequest).model,
      body: chatRequest,
      output: completionShape,
      mayStream: true,
      run: complete,
    }),
  ],
  faults: { type: "application/json", schema: errorShape },
  writeFault: (fault) => ({ body: errorOf(fault) }),
  faultEvent: (fault) => ({ data: errorOf(fault) }),
};

type AgentRecord = Awaited<ReturnType<UserRuntime["agents"]["find"]>>;

function modelOf({ name, ownerId, createdAt }: AgentRecord): z.output<typeof modelShape> {
  return { id: name, object: "model", created: secondsOf(createdAt), owned_by: ownerId };
}

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000);

async function complete(call: RouteCall<unknown, unknown, ChatRequest>): Promise<unknown> {
  const { body } = call;
  const input = inputOf(body);
  const agent = await openAgent(call, input);
  const place: CompletionPlace = {
    model: body.model,
    conversationId: agent.conversationId,
    created: secondsOf(systemClock.now()),
    includeUsage: body.stream_options?.include_usage === true,
  };
  const events = eventsOf(agent, input, call.headers);
  if (body.stream !== true) return wholeCompletion(events, place);
  return startedStream(completionChunks(events, place), systemClock);
}

async function openAgent(
  { runtime, body, headers }: RouteCall<unknown, unknown, ChatRequest>,
  { lastReply, results }: ChatInput,
): Promise<Agent> {
  const given = headers.get("x-conversation-id") ?? body.metadata?.["conversation_id"] ?? null;
  const id = await findConversation(runtime, {
    agent: body.model,
    id: given,
    lastReply,
    callIds: results.map(({ callId }) => callId),
  });
  return runtime.agents.open(body.model, { conversation: id === null ? "new" : { id } });
}

/** A client that disconnects stops nothing: no signal is passed. */
function eventsOf(
  agent: Agent,
  { messages, results, clientTools }: ChatInput,
  headers: Headers,
): AsyncIterable<AgentEvent> {
  const options = clientTools.length === 0 ? {} : { clientTools };
  if (results.length > 0) return agent.answer(results, options);
  const idempotencyKey = headers.get("idempotency-key");
  const last = messages.length - 1;
  const keyed = messages.map((message, index) => {
    return idempotencyKey === null || index < last ? message : { ...message, idempotencyKey };
  });
  return agent.send({ messages: keyed }, options);
}

function errorOf({ status, code, message, fields }: Fault): z.output<typeof errorShape> {
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  return { error: { message, type, code, param: fields[0]?.field ?? null } };
}
