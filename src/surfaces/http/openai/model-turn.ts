// Runs a turn of an agent that is addressed as a model, for both of OpenAI's APIs, whose clients send the history instead of an
// id.
// Invariant: a request never continues a conversation of another agent; a request that fits no conversation starts a new one.
import type { AgentEvent, TurnEnd } from "../../../agent/events.ts";
import type { CallResult, ClientTool, SentMessage, TurnOptions } from "../../../agent/turn-options.ts";
import type { TurnAgent } from "../../../runtime/agents/contract.ts";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import { Fault, handedOverTurn, statusOf } from "../fault.ts";
import { openIn } from "../follow-turn.ts";
import { replayTurn } from "../replay-turn.ts";
import { sendAfter } from "../send-after.ts";

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
 * Opens the agent in the conversation that the client named, otherwise in one that fits the request, otherwise in a new one.
 */
export async function openModel(runtime: UserRuntime, request: ModelRequest): Promise<TurnAgent> {
  const { model, input, conversationId } = request;
  const id = await findConversation(runtime, {
    agent: model,
    id: conversationId,
    lastReply: input.lastReply,
    callIds: input.results.map(({ callId }) => callId),
  });
  if (id === null) return runtime.agents.open(model, { conversation: "new" });
  return runtime.agents.openForTurn(id, { agent: model });
}

/** Events wrapped in an object: a promise that resolved to the thenable events of a turn would await the end of the turn. */
export interface OpenedTurn {
  readonly events: AsyncIterable<AgentEvent>;
}

interface ModelTurn extends Pick<ModelRequest, "input" | "headers"> {
  readonly agent: TurnAgent;
  /** The id of the message after which the messages are sent; default: the newest message. */
  readonly after?: string | null;
}

/** Starts or continues the turn of a request, and returns its events. */
export async function runModel(
  runtime: UserRuntime,
  { agent, input, headers, after = null }: ModelTurn,
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
  if (after === null) return { events: agent.send({ messages: keyed }, options) };
  return { events: await sendAfter(runtime, await openIn(runtime, place), { after, messages: keyed, options }) };
}

/** Returns the agent's prompt as it is now, followed by the instructions. */
async function promptWith({ agents }: UserRuntime, agentId: string, instructions: string): Promise<string> {
  return `${(await agents.find(agentId)).systemPrompt}\n\n${instructions}`;
}

/**
 * Returns the end of a turn. Throws Fault if a failure ended the turn, or if it has no end yet. A spent budget is not a
 * failure: the answer is cut off.
 */
export function requireSuccess(end: TurnEnd | null): TurnEnd {
  if (end === null) throw handedOverTurn();
  const { stopReason, error } = end;
  if (error !== undefined && stopReason !== "budget") throw new Fault(statusOf(error.code), error.code, error.message);
  return end;
}

/** Returns the text that an event adds to the answer. A request for approval is text, because these APIs have no approvals. */
export function textOfEvent(event: AgentEvent): string {
  if (event.type === "text-delta") return event.text;
  if (event.type !== "approval-requested") return "";
  return `\n[${event.name} waits for your approval: ${event.arguments}]`;
}

/** Maximum number of conversations that are compared, most recently used first; each costs one query. */
const maxCompared = 20;

interface ConversationRequest {
  readonly agent: string;
  /** The id that the client gave; null if it gave none. */
  readonly id: string | null;
  /** The text of the last reply in the request; null in a new chat. */
  readonly lastReply: string | null;
  /** The ids of the calls whose results the request contains. */
  readonly callIds: readonly string[];
}

/**
 * Returns the id that the client gave; otherwise the most recently used conversation whose last reply has the text
 * `lastReply`, or made the calls `callIds`; null if the request starts a new conversation.
 */
async function findConversation(
  { conversations }: Pick<UserRuntime, "conversations">,
  { agent, id, lastReply, callIds }: ConversationRequest,
): Promise<string | null> {
  if (id !== null) return id;
  if (lastReply === null) return null;
  for (const { id: candidate } of await conversations.list(agent, { limit: maxCompared })) {
    const { messages } = await conversations.messages(candidate, { limit: 1 });
    const [last] = messages;
    if (last?.role !== "assistant") continue;
    // A reply that only calls tools has no text; its calls' ids identify it.
    const hasCall = last.calls.some(({ callId }) => callIds.includes(callId));
    if (callIds.length === 0 ? last.text.trim() === lastReply.trim() : hasCall) return candidate;
  }
  return null;
}
