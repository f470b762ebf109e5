// Runs a turn of an agent for OpenAI's APIs, where the agent is a model and clients send the history, not an id.
// Invariant: a request never continues another agent's conversation. If no conversation matches the history, one is created.
import type { AgentEvent, TurnEnd } from "../../../agent/events.ts";
import type { CallResult, ClientTool, SentMessage, TurnOptions } from "../../../agent/turn-options.ts";
import type { TurnAgent } from "../../../runtime/agents/contract.ts";
import { LimitError } from "../../../base/errors.ts";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import { clientText, Fault, handedOverTurn, statusOf } from "../fault.ts";
import { openIn } from "../follow-turn.ts";
import { replayTurn } from "../replay-turn.ts";

export interface ModelInput {
  /** The text of the last reply in the request; null in a new chat. */
  readonly lastReply: string | null;
  readonly messages: readonly SentMessage[];
  /** Results of tools that the client ran. A request with results has no messages. */
  readonly results: readonly CallResult[];
  readonly clientTools: readonly ClientTool[];
  /** A text that is added to the agent's prompt in this turn; "" for none. */
  readonly instructions: string;
}

export interface ModelRequest {
  readonly model: string;
  readonly input: ModelInput;
  /** The conversation that the client named; null if it named none. */
  readonly conversationId: string | null;
  readonly headers: Headers;
}

/**
 * Opens the agent in the conversation that the client named, or else in one that matches the history, or in a new one.
 */
export async function openModel(runtime: UserRuntime, request: ModelRequest): Promise<OpenedModel> {
  const { model, conversationId } = request;
  const id = conversationId ?? (await findConversation(runtime, request));
  if (id === null) return { agent: await runtime.agents.open(model, { conversation: "new" }), isNew: true };
  return { agent: await runtime.agents.openForTurn(id, { agent: model }), isNew: false };
}

export interface OpenedModel {
  readonly agent: Omit<TurnAgent, "storesEvents">;
  /** Whether the conversation was created for this request. */
  readonly isNew: boolean;
}

/** Wraps the events in an object: they are thenable, so a promise of them would resolve only at the end of the turn. */
export interface OpenedTurn {
  readonly events: AsyncIterable<AgentEvent>;
}

interface ModelTurn extends OpenedModel, Pick<ModelRequest, "input" | "headers"> {
  /** The id of the message after which the new messages are sent; default: the conversation's newest message. */
  readonly after?: string | null;
}

/** Starts or continues the turn of a request, and returns its events. */
export async function runModel(
  runtime: UserRuntime,
  { agent, isNew, input, headers, after = null }: ModelTurn,
): Promise<OpenedTurn> {
  const { messages, results, clientTools, instructions } = input;
  const { conversationId, record } = agent;
  const place = { agentId: record.id, conversationId };
  const options: TurnOptions = {
    ...(clientTools.length === 0 ? {} : { clientTools }),
    ...(instructions === "" ? {} : { systemPrompt: await promptWith(runtime, record.id, instructions) }),
  };
  if (results.length > 0) return { events: (await openIn(runtime, place)).answer(results, options) };
  const idempotencyKey = headers.get("idempotency-key");
  const sent = idempotencyKey === null ? null : await runtime.turns.findByKey(conversationId, idempotencyKey);
  if (sent !== null) {
    return { events: replayTurn(runtime, { id: sent.id, ...place }) };
  }
  const last = messages.length - 1;
  const keyed = messages.map((message, index) => {
    return idempotencyKey === null || index < last ? message : { ...message, idempotencyKey };
  });
  if (isNew) return { events: firstTurn(runtime, conversationId, agent.send({ messages: keyed }, options)) };
  return { events: agent.send({ messages: keyed }, after === null ? options : { ...options, afterMessage: after }) };
}

/**
 * Yields the events of a new conversation's turn. If a limit refuses the turn, deletes the conversation: empty ones would
 * displace the conversations to which requests are compared.
 */
async function* firstTurn(
  { conversations }: Pick<UserRuntime, "conversations">,
  conversationId: string,
  events: AsyncIterable<AgentEvent>,
): AsyncGenerator<AgentEvent, void> {
  try {
    yield* events;
  } catch (error) {
    if (error instanceof LimitError) await conversations.delete(conversationId);
    throw error;
  }
}

/** Returns the agent's current prompt, followed by the instructions. */
async function promptWith({ agents }: UserRuntime, agentId: string, instructions: string): Promise<string> {
  return `${(await agents.find(agentId)).systemPrompt}\n\n${instructions}`;
}

/**
 * Returns the end of a turn. Throws Fault if a failure ended the turn, or if it has no end yet. A spent budget is not a
 * failure; the answer is then incomplete.
 */
export function requireSuccess(end: TurnEnd | null): TurnEnd {
  if (end === null) throw handedOverTurn();
  const { stopReason, error } = end;
  if (error !== undefined && stopReason !== "budget")
    throw new Fault(statusOf(error.code), error.code, clientText(error));
  return end;
}

/** Returns the text that an event adds to the answer. A request for approval is text, because these APIs have no approvals. */
export function textOfEvent(event: AgentEvent): string {
  if (event.type === "text-delta") return event.text;
  if (event.type !== "approval-requested") return "";
  return `\n[${event.name} waits for your approval: ${event.arguments}]`;
}

/** Maximum number of conversations that are compared with a request, most recently used first, by one query each. */
const maxCompared = 20;

/**
 * Returns the id of the most recently used conversation in which the last reply has the text `lastReply`, or one of the
 * calls with `results`. Returns null for a new conversation.
 */
async function findConversation(
  { conversations }: Pick<UserRuntime, "conversations">,
  { model, input: { lastReply, results } }: ModelRequest,
): Promise<string | null> {
  if (lastReply === null) return null;
  for (const { id } of await conversations.list(model, { limit: maxCompared })) {
    const { messages } = await conversations.messages(id, { limit: 1 });
    const [last] = messages;
    if (last?.role !== "assistant") continue;
    // A reply that only calls tools has no text, and is recognized by the ids of its calls.
    const hasCall = last.calls.some((call) => results.some(({ callId }) => callId === call.callId));
    if (results.length === 0 ? last.text.trim() === lastReply.trim() : hasCall) return id;
  }
  return null;
}
