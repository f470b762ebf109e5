// The handler of `/openai/v1/responses`.
// Invariant: a request continues from the response that it names; messages that followed the response become a branch.
import { valueOn } from "../../../base/thrown-values.ts";
import { systemClock } from "../../../base/clock.ts";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import { startedStream } from "../event-stream.ts";
import { Fault } from "../fault.ts";
import type { RouteCall } from "../route.ts";
import { type ModelInput, type OpenedModel, openModel, runModel } from "./model-turn.ts";
import { responseEvents, wholeResponse } from "./response.ts";
import { type ResponsePlace, turnIdOf } from "./response-shape.ts";
import { conversationOf, inputOf, type NamedReply, previousOf, type ResponsesRequest } from "./responses-request.ts";

type ResponseCall = RouteCall<unknown, unknown, ResponsesRequest>;

export async function respond(call: ResponseCall): Promise<unknown> {
  const { runtime, body, headers } = call;
  const input = inputOf(body);
  const opened = await openPrevious(call, input);
  const place: ResponsePlace = {
    model: body.model,
    conversationId: opened.agent.conversationId,
    created: Math.floor(systemClock.now().getTime() / 1000),
    instructions: body.instructions ?? null,
    previousResponseId: body.previous_response_id ?? null,
  };
  const { events } = await runModel(runtime, { ...opened, input, headers });
  if (body.stream !== true) return wholeResponse(events, place);
  return startedStream(responseEvents(events, place), systemClock);
}

interface OpenedPrevious extends OpenedModel {
  /** The id of the last message of the previous response; null if that message is the newest of the conversation. */
  readonly after: string | null;
}

async function openPrevious({ runtime, body, headers }: ResponseCall, input: ModelInput): Promise<OpenedPrevious> {
  const named = conversationOf(body);
  const conversationId = named ?? headers.get("x-conversation-id");
  const previous = previousOf(body);
  // A conversation that is named replaces the search by the history, and references are history.
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

type TurnRecord = Awaited<ReturnType<UserRuntime["turns"]["find"]>>;

/**
 * Returns the turn of a response or of an item. Throws Fault `turn_not_found` if there is none or it belongs to another agent.
 */
async function previousTurn(
  { agents, turns }: UserRuntime,
  model: string,
  { id, field }: NamedReply,
): Promise<TurnRecord> {
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
