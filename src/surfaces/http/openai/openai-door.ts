// Defines the door `/openai/v1`, which shows agents as models to programs that use OpenAI's API.
import * as z from "zod";
import { systemClock } from "../../../base/clock.ts";
import { valueOn } from "../../../base/thrown-values.ts";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import type { Door } from "../door.ts";
import { startedStream } from "../event-stream.ts";
import { Fault } from "../fault.ts";
import { route, type RouteCall } from "../route.ts";
import { type ChatRequest, chatRequest, inputOf as chatInput } from "./chat-request.ts";
import { completionChunks, type CompletionPlace, wholeCompletion } from "./completion.ts";
import { type ModelInput, openModel, runModel } from "./model-turn.ts";
import { responseEvents, wholeResponse } from "./response.ts";
import { type ResponsePlace, responseShape, turnIdOf } from "./response-shape.ts";
import {
  conversationOf,
  inputOf as responseInput,
  type NamedReply,
  previousOf,
  type ResponsesRequest,
  responsesRequest,
} from "./responses-request.ts";

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

async function complete({ runtime, headers, body }: RouteCall<unknown, unknown, ChatRequest>): Promise<unknown> {
  const input = chatInput(body);
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
  return startedStream(completionChunks(events, place));
}

type ResponseCall = RouteCall<unknown, unknown, ResponsesRequest>;

/** Continues after the response that the request names; messages that followed the response become a branch. */
async function respond(call: ResponseCall): Promise<unknown> {
  const { runtime, body, headers } = call;
  const input = responseInput(body);
  const opened = await openPrevious(call, input);
  const place: ResponsePlace = {
    model: body.model,
    conversationId: opened.agent.conversationId,
    created: secondsOf(systemClock.now()),
    instructions: body.instructions ?? null,
    previousResponseId: body.previous_response_id ?? null,
  };
  const { events } = await runModel(runtime, { ...opened, input, headers });
  if (body.stream !== true) return wholeResponse(events, place);
  return startedStream(responseEvents(events, place));
}

/**
 * Opens the agent for a response. `after`: the id of the last message of the previous response; null if that message is the
 * newest of the conversation.
 */
async function openPrevious({ runtime, body, headers }: ResponseCall, input: ModelInput) {
  const named = conversationOf(body);
  const conversationId = named ?? headers.get("x-conversation-id");
  const previous = previousOf(body);
  // If the request names a conversation, references to items in the request are not used to find the conversation.
  if (previous === null || (conversationId !== null && (body.previous_response_id ?? null) === null)) {
    return { ...(await openModel(runtime, { model: body.model, input, conversationId, headers })), after: null };
  }
  const turn = await previousTurn(runtime, body.model, previous);
  const agent = await runtime.agents.openForTurn(turn.conversationId, { agent: body.model });
  const { leafId } = await runtime.conversations.find(turn.conversationId);
  const messages = await runtime.turns.messages(turn.id);
  const isNewest = messages.some(({ id }) => id === leafId);
  return { agent, isNew: false, after: isNewest ? null : (messages.at(-1)?.id ?? null) };
}

/**
 * Returns the turn of a response or of an item. Throws Fault `turn_not_found` if there is none or it belongs to another agent.
 */
async function previousTurn(
  { agents, turns }: UserRuntime,
  model: string,
  { id, field }: NamedReply,
): Promise<Awaited<ReturnType<UserRuntime["turns"]["find"]>>> {
  const { id: agentId } = await agents.find(model);
  const turnId = turnIdOf(id);
  const turn = turnId === null ? null : await turns.find(turnId).catch(valueOn("turn_not_found", null));
  if (turn?.agentId === agentId) return turn;
  const message =
    field === "body.input"
      ? "There is no item of this model with the id of the last reference in `input`. Send the item itself."
      : "There is no response of this model with the id in `previous_response_id`.";
  throw new Fault(404, "turn_not_found", message, { fields: [{ field, message }] });
}

function errorOf({ status, code, message, fields }: Fault): z.output<typeof errorShape> {
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  return { error: { message, type, code, param: fields[0]?.field ?? null } };
}
