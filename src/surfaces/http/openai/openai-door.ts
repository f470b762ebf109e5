// The door `/openai/v1`: agents as models, for programs that use OpenAI's API.
import * as z from "zod";
import { systemClock } from "../../../base/clock.ts";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import type { Door } from "../door.ts";
import { startedStream } from "../event-stream.ts";
import type { Fault } from "../fault.ts";
import { route, type RouteCall } from "../route.ts";
import { type ChatRequest, chatRequest, inputOf } from "./chat-request.ts";
import { completionChunks, type CompletionPlace, wholeCompletion } from "./completion.ts";
import { openModel, runModel } from "./model-turn.ts";
import { responseShape } from "./response-shape.ts";
import { responsesRequest } from "./responses-request.ts";
import { respond } from "./run-response.ts";

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
      run: async ({ runtime }) => ({ object: "list", data: (await runtime.agents.list()).map(modelOf) }),
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
      body: chatRequest,
      output: completionShape,
      checksKey: true,
      mayStream: true,
      run: complete,
    }),
    route({
      method: "post",
      path: "/responses",
      summary: "Send input to an agent, also after an earlier response; with `stream`, the answer is streamed",
      scope: "chat",
      body: responsesRequest,
      output: responseShape,
      checksKey: true,
      mayStream: true,
      run: respond,
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
  const { runtime, headers } = call;
  const conversationId = headers.get("x-conversation-id") ?? body.metadata?.["conversation_id"] ?? null;
  const opened = await openModel(runtime, { model: body.model, input, conversationId, headers });
  const place: CompletionPlace = {
    model: body.model,
    conversationId: opened.agent.conversationId,
    created: secondsOf(systemClock.now()),
    includeUsage: body.stream_options?.include_usage === true,
  };
  const { events } = await runModel(runtime, { ...opened, input, headers });
  if (body.stream !== true) return wholeCompletion(events, place);
  return startedStream(completionChunks(events, place), systemClock);
}

function errorOf({ status, code, message, fields }: Fault): z.output<typeof errorShape> {
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  return { error: { message, type, code, param: fields[0]?.field ?? null } };
}
