// Runs a turn of an agent for OpenAI's APIs, where the agent is a model and clients send the history, not an id.
// Invariant: a request never continues another agent's conversation. If no conversation matches the history, one is created.
import * as z from "zod";
import type { AgentEvent, TurnEnd } from "../../../agent/events.ts";
import type { CallResult, ClientTool, SentMessage, TurnOptions } from "../../../agent/turn-options.ts";
import type { TurnAgent } from "../../../runtime/agents/contract.ts";
import { RequestError, RuntimeError } from "../../../base/errors.ts";
import { valueOn } from "../../../base/thrown-values.ts";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import { joinAfterPause } from "../decide-calls.ts";
import { clientText, Fault, handedOverTurn, statusOf } from "../fault.ts";
import { type OpenedEvents, openIn, type TurnPlace } from "../follow-turn.ts";
import { replayTurn } from "../replay-turn.ts";

/** The values of `tool_choice` that an agent can follow. */
export const toolChoice = z
  .enum(["auto", "none"], "Expected `auto` or `none`: the agent decides which tools it calls. Leave `tool_choice` out.")
  .nullish();

const onlyText = "Expected `text`: an agent answers in text. Leave the format out, or ask for it in the message.";

/** The formats of an answer that an agent can follow. */
export const textFormat = z.looseObject({ type: z.literal("text", onlyText) }).nullish();

export interface ModelInput {
  /** The text of the last reply in the request; null in a new chat. */
  readonly lastReply: string | null;
  readonly messages: readonly SentMessage[];
  /** Results of tools that the client ran. They continue the turn of their calls; `messages` start another turn. */
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
  if (id === null && request.input.results.length > 0) throw notAwaited("in the conversations that fit the history");
  if (id === null) return { agent: await runtime.agents.open(model, { conversation: "new" }), isNew: true };
  return { agent: await runtime.agents.openForTurn(id, { agent: model }), isNew: false };
}

export interface OpenedModel {
  readonly agent: Omit<TurnAgent, "storesEvents">;
  /** Whether the conversation was created for this request. */
  readonly isNew: boolean;
}

interface ModelTurn extends OpenedModel, Pick<ModelRequest, "input" | "headers"> {
  /** The id of the message after which the new messages are sent; default: the conversation's newest message. */
  readonly after?: string | null;
}

/** Starts or continues the turn of a request, and returns its events. */
export async function runModel(
  runtime: UserRuntime,
  { agent, isNew, input, headers, after = null }: ModelTurn,
): Promise<OpenedEvents> {
  const { messages, results, clientTools, instructions } = input;
  const { conversationId, record } = agent;
  const place = { agentId: record.id, conversationId };
  const prompt = async () => `${(await runtime.agents.find(record.id)).systemPrompt}\n\n${instructions}`;
  const options: TurnOptions = {
    ...(clientTools.length === 0 ? {} : { clientTools }),
    ...(instructions === "" ? {} : { systemPrompt: await prompt() }),
  };
  const idempotencyKey = headers.get("idempotency-key");
  // The idempotency key is stored with the last message, so a request with results alone has no stored key.
  const isKeyed = idempotencyKey !== null && messages.length > 0;
  const sent = isKeyed ? await runtime.turns.findByKey(conversationId, idempotencyKey) : null;
  if (sent !== null) return { events: replayTurn(runtime, { id: sent.id, ...place }) };
  if (results.length > 0) {
    const answered = await answerCalls(runtime, place, results, options);
    if (messages.length === 0) return answered;
    // Waits for the end of the turn with the calls, because the messages start a turn of their own.
    for await (const _event of answered.events);
  }
  const last = messages.length - 1;
  const keyed = messages.map((message, index) => {
    return idempotencyKey === null || index < last ? message : { ...message, idempotencyKey };
  });
  if (isNew) return { events: firstTurn(runtime, conversationId, () => agent.send({ messages: keyed }, options)) };
  return { events: agent.send({ messages: keyed }, after === null ? options : { ...options, afterMessage: after }) };
}

/** Continues the calls' turn, or only reads it if no call waits any more. Throws RequestError `result_not_awaited`. */
async function answerCalls(
  runtime: UserRuntime,
  place: TurnPlace,
  results: readonly CallResult[],
  options: TurnOptions,
): Promise<OpenedEvents> {
  const agent = await openIn(runtime, place);
  const calls = results.map(({ callId }) => callId);
  const isWaiting = agent.pendingResults.some(({ callId }) => calls.includes(callId));
  if (isWaiting) return { events: agent.answer(results, options) };
  const joined = await joinAfterPause(runtime, { agent, place }, calls);
  if (joined === null) throw notAwaited("in this conversation");
  return joined;
}

function notAwaited(where: string): RequestError {
  const message = `No call with these ids waits for a result ${where}. Nothing was written.`;
  return new RequestError("result_not_awaited", message);
}

/**
 * Yields the events of a new conversation's turn. If the turn is refused before anything is stored, deletes the
 * conversation: it would take the place of another one among the `maxCompared` with which a request is compared.
 */
async function* firstTurn(
  { conversations }: Pick<UserRuntime, "conversations">,
  conversationId: string,
  send: () => AsyncIterable<AgentEvent>,
): AsyncGenerator<AgentEvent, void> {
  try {
    yield* send();
  } catch (error) {
    const isRefused = error instanceof RuntimeError && statusOf(error.code) < 500;
    const found = isRefused
      ? await conversations.find(conversationId).catch(valueOn("conversation_not_found", null))
      : null;
    if (found?.leafId === null) await conversations.delete(conversationId);
    throw error;
  }
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

/**
 * Returns a function that converts the next event to the text that it adds to the answer. The text after a step or a
 * call begins on a new line. A request for approval becomes text, because these APIs have no approvals.
 */
export function answerText(): (event: AgentEvent) => string {
  let hasText = false;
  let isLineOver = false;
  return (event) => {
    if (event.type === "approval-requested") return `\n${approvalText(event)}`;
    if (event.type !== "text-delta") {
      isLineOver ||= hasText && ["step-end", "tool-result", "retry"].includes(event.type);
      return "";
    }
    const text = isLineOver ? `\n${event.text}` : event.text;
    hasText = true;
    isLineOver = false;
    return text;
  };
}

function approvalText({ name, arguments: json }: { readonly name: string; readonly arguments: string }): string {
  return `[${name} waits for your approval: ${json}]`;
}

/** Maximum number of conversations that are compared with a request, most recently used first, by one or two queries each. */
const maxCompared = 20;

/** Maximum number of messages of a conversation's newest turn that are compared. */
const maxOfTurn = 100;

/**
 * Returns the id of the most recently used conversation that fits the history; null if none fits. Prefers a
 * conversation whose calls wait for `results` to one whose calls already have these results.
 */
async function findConversation(
  { conversations }: Pick<UserRuntime, "conversations">,
  { model, input: { lastReply, results } }: ModelRequest,
): Promise<string | null> {
  if (lastReply === null) return null;
  const reply = withoutSpace(lastReply);
  let answered: string | null = null;
  for (const { id } of await conversations.list(model, { limit: maxCompared })) {
    const fit = await fitOf(conversations, id, { reply, results });
    if (fit === "open") return id;
    if (fit === "answered") answered ??= id;
  }
  return answered;
}

interface History extends Pick<ModelInput, "results"> {
  /** The last reply, without white space. */
  readonly reply: string;
}

/** Returns `open` if the newest turn ends with `reply` or with calls that `results` answer, `answered` if it has `results`. */
async function fitOf(
  conversations: Pick<UserRuntime["conversations"], "messages">,
  id: string,
  { reply, results }: History,
): Promise<"open" | "answered" | null> {
  const [last] = (await conversations.messages(id, { limit: 1 })).messages;
  if (last?.role !== "assistant") return null;
  if (results.length > 0) {
    // A reply that only calls tools has no text, and is recognized by the ids of its calls.
    if (last.calls.some((call) => results.some(({ callId }) => callId === call.callId))) return "open";
  } else if (!reply.endsWith(withoutSpace(last.text)) && !reply.includes(approvalMark)) return null;
  const { messages } = await conversations.messages(id, { limit: maxOfTurn });
  const turn = messages.filter(({ role, turnId }) => role === "assistant" && turnId === last.turnId);
  if (results.length === 0) return hasReply(turn, reply) ? "open" : null;
  return turn.some(({ calls }) => calls.some((call) => isAnswered(call, results))) ? "answered" : null;
}

type Reply = Awaited<ReturnType<UserRuntime["conversations"]["messages"]>>["messages"][number];

/**
 * Returns whether a call has one of the results. Compares the texts, too, because models reuse ids, but only their beginnings,
 * because long texts are stored shortened.
 */
function isAnswered({ callId, result }: Reply["calls"][number], results: readonly CallResult[]): boolean {
  return results.some((one) => one.callId === callId && one.text.slice(0, 200) === result?.text.slice(0, 200));
}

const withoutSpace = (text: string): string => text.replaceAll(/\s+/gu, "");

const approvalMark = withoutSpace("waits for your approval");

/**
 * Returns whether `reply`, whose white space was removed, is the text of the whole turn or of its last messages. A reply that
 * ends with requests for approval also matches if the turn has further messages, which were written after the decision.
 */
function hasReply(turn: readonly Reply[], reply: string): boolean {
  const texts = turn.map(({ text }) => withoutSpace(text));
  return turn.some(({ calls }, at) => {
    const isLast = at === turn.length - 1;
    return texts.slice(0, at + 1).some((_, from) => {
      const text = texts.slice(from, at + 1).join("");
      if (!reply.startsWith(text)) return false;
      const rest = reply.slice(text.length);
      if (rest === "") return isLast;
      return calls.reduce((left, call) => left.replace(withoutSpace(approvalText(call)), ""), rest) === "";
    });
  });
}
