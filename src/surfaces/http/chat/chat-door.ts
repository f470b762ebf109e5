// Implements the door `/api/chat`: agents as the backend of the AI SDK's `useChat`. The client chooses the id of a chat.
// Invariant: a client that disconnects does not stop a turn, and can read what it missed from the chat's stream. The
// stream shows no turn that waits or that a user stopped, and continues an unfinished turn.
import * as z from "zod";
import type { AgentEvent } from "../../../agent/events.ts";
import type { FilePart } from "../../../base/message/file-part.ts";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import type { UiEncodeOptions } from "../../stream/ai-sdk/encode-turn.ts";
import { uiMessageChunks, uiMessageStreamHeaders } from "../../stream/ai-sdk/stream-turn.ts";
import { type UiMessage, uiMessagesOf } from "../../stream/ai-sdk/ui-message.ts";
import type { Door } from "../door.ts";
import { type EventStream, type SentEvent, startedStream } from "../event-stream.ts";
import { clientEvent } from "../fault.ts";
import { conversationAt, type FollowedTurn, openIn } from "../follow-turn.ts";
import { problemOf, problems } from "../problem.ts";
import { replayTurn } from "../replay-turn.ts";
import { route } from "../route.ts";
import { chatRequest, inputOf } from "./chat-request.ts";
import { addressOf, startChat } from "./start-chat.ts";
import { valueOn } from "../../../base/thrown-values.ts";
import { RequestError } from "../../../base/errors.ts";
import { uuidOfText } from "../../../base/ids.ts";

const agentPath = z.strictObject({ agent: z.string().describe("The name or the id of an agent.") });
const chatPath = agentPath.extend({ chat: z.string().describe("The id of a chat, as the client chose it.") });

const uiMessage = z.looseObject({
  id: z.string(),
  role: z.enum(["system", "user", "assistant"]),
  parts: z.array(z.looseObject({ type: z.string() })),
  metadata: z.looseObject({ at: z.string() }),
});

/** Tools whose calls are not shown: an agent of the heartbeat protocol sends text to the user by `send_message`. */
const hiddenTools = ["send_message"];

export const chatDoor: Door = {
  path: "/api/chat",
  routes: [
    route({
      method: "post",
      path: "/:agent",
      summary: "Send the last message of a chat to an agent, or decisions about its calls, and stream the answer",
      scope: "chat",
      params: agentPath,
      body: chatRequest,
      output: "events",
      run: async ({ runtime, params, body }) => {
        const input = inputOf(body);
        const { id: conversationId, agentId } = await openChat(runtime, params.agent, body.id);
        const { events, known } = await startChat(runtime, { agentId, conversationId }, input);
        const shown = await shownOf(runtime, agentId);
        return streamOf(events, conversationId, { ...shown, ...known, hasResets: body.hasResets ?? false });
      },
    }),
    route({
      method: "get",
      path: "/:agent/:chat/stream",
      summary: "Stream the answer that is being given in a chat, from its beginning; 204 if there is none",
      scope: "chat",
      params: chatPath,
      output: "events",
      mayBeEmpty: true,
      run: async ({ runtime, params, signal, leftOut }) => {
        const chat = await findChat(runtime, params.agent, params.chat);
        const turn = chat === null ? null : await runningTurn(runtime, chat, leftOut.take(chat.id));
        if (turn === null) return null;
        const options = { ...(await shownOf(runtime, turn.agentId)), deniedCalls: turn.deniedCalls };
        return streamOf(replayTurn(runtime, turn, { signal }), turn.conversationId, options);
      },
    }),
    route({
      method: "get",
      path: "/:agent/:chat/messages",
      summary: "Get the messages of a chat, for a page that is loaded again, without an answer that is being given",
      scope: "read",
      params: chatPath,
      query: z.strictObject({ limit: z.coerce.number<string>().int().min(1).max(500).optional() }),
      output: z.array(uiMessage),
      run: async ({ runtime, params, query, leftOut }): Promise<readonly UiMessage[]> => {
        const chat = await findChat(runtime, params.agent, params.chat);
        if (chat === null) return [];
        const { messages, running } = await loadChat(runtime, chat, query.limit ?? 100);
        leftOut.note(chat.id, running?.id ?? null);
        const over = messages.filter(({ role, turnId }) => role === "user" || turnId !== running?.id);
        const { protocol } = await runtime.agents.find(chat.agentId);
        const urlOf = ({ location }: FilePart) => (location.type === "url" ? null : addressOf(chat, location.id));
        return uiMessagesOf(over, { protocol, ...hiddenOf(protocol), urlOf });
      },
    }),
    route({
      method: "post",
      path: "/:agent/:chat/stop",
      summary: "Stop the answer that is being given in a chat, and keep what it streamed",
      scope: "chat",
      params: chatPath,
      output: z.strictObject({ isStopped: z.boolean() }),
      run: async ({ runtime, params }) => {
        const chat = await findChat(runtime, params.agent, params.chat);
        if (chat === null) return { isStopped: false };
        const place = { agentId: chat.agentId, conversationId: chat.id };
        return { isStopped: await (await openIn(runtime, place, { withoutCalls: true })).stop() };
      },
    }),
  ],
  faults: problems,
  writeFault: (fault, requestId) => ({ body: problemOf(fault, requestId) }),
  faultEvent: ({ message }) => ({ data: { type: "error", errorText: message } }),
};

/** Returns the newest messages of a chat, and the turn that was running when they were read. */
async function loadChat(runtime: UserRuntime, chat: Chat, limit: number) {
  for (let running = await runningTurn(runtime, chat); ; ) {
    const { messages } = await runtime.conversations.messages(chat.id, { limit });
    const after = await runningTurn(runtime, chat);
    // If a turn began or ended while its messages were read, they may be incomplete, so they are read again.
    if (after?.id === running?.id) return { messages, running };
    running = after;
  }
}

async function shownOf({ agents }: UserRuntime, agentId: string): Promise<UiEncodeOptions> {
  return hiddenOf((await agents.find(agentId)).protocol);
}

function hiddenOf(protocol: string): Pick<UiEncodeOptions, "hiddenTools"> {
  return protocol === "heartbeat" ? { hiddenTools } : {};
}

function streamOf(
  events: AsyncIterable<AgentEvent>,
  conversationId: string,
  options: UiEncodeOptions,
): Promise<EventStream> {
  const headers = { ...uiMessageStreamHeaders, "x-conversation-id": conversationId };
  return startedStream(sentChunks(events, options), headers);
}

async function* sentChunks(
  events: AsyncIterable<AgentEvent>,
  options: UiEncodeOptions,
): AsyncGenerator<SentEvent, void> {
  for await (const chunk of uiMessageChunks(forClients(events), options)) yield { data: chunk };
  yield { data: "[DONE]", isRaw: true };
}

async function* forClients(events: AsyncIterable<AgentEvent>): AsyncGenerator<AgentEvent, void> {
  for await (const event of events) yield clientEvent(event);
}

type Runtime = Pick<UserRuntime, "agents" | "conversations">;
type ConversationRecord = Awaited<ReturnType<UserRuntime["conversations"]["find"]>>;
type Chat = Pick<ConversationRecord, "id" | "agentId">;

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;

/** Returns the chat's id if it is a UUID, otherwise a UUID derived from the agent's id and the chat's id. */
function conversationIdOf(agentId: string, chatId: string): string {
  // Version 8: a UUID with content that the application defines.
  return uuid.test(chatId) ? chatId.toLowerCase() : uuidOfText(`${agentId}\n${chatId}`, 8);
}

/**
 * Returns the conversation of a chat; null for a new chat. Throws RequestError `agent_not_found`, and `conversation_not_found`
 * for a conversation of another agent.
 */
async function findChat(runtime: Runtime, agent: string, chatId: string): Promise<ConversationRecord | null> {
  const { id: agentId } = await runtime.agents.find(agent);
  const found = await runtime.conversations
    .find(conversationIdOf(agentId, chatId))
    .catch(valueOn("conversation_not_found", null));
  return found === null ? null : requireOwn(found, agentId);
}

function requireOwn(found: ConversationRecord, agentId: string): ConversationRecord {
  if (found.agentId === agentId) return found;
  throw new RequestError("conversation_not_found", "This agent has no conversation with the id of the chat.");
}

/** Returns the conversation of a chat, and creates it for a new chat. Throws the same errors as `findChat`. */
async function openChat(runtime: Runtime, agent: string, chatId: string): Promise<ConversationRecord> {
  const { id: agentId } = await runtime.agents.find(agent);
  return requireOwn(await conversationAt(runtime, agentId, { id: conversationIdOf(agentId, chatId) }), agentId);
}

interface RunningTurn extends FollowedTurn {
  readonly deniedCalls: readonly string[];
}

/**
 * Returns a chat's running, queued or unfinished turn; null if there is none. `leftOut`: the id of the turn whose answer was
 * left out when the page loaded the chat. If this is the newest turn, it is returned even if it is over.
 */
async function runningTurn(
  runtime: UserRuntime,
  { id, agentId }: Chat,
  leftOut: string | null = null,
): Promise<RunningTurn | null> {
  const turns = await runtime.turns.list({ conversation: id, limit: 20 });
  const [newest] = turns;
  const running = turns.find(({ state }) => state === "running") ?? turns.findLast(({ state }) => state === "queued");
  const turn = running ?? newest;
  if (turn === undefined) return null;
  if (turn !== running && turn.id !== leftOut && !(await isUnfinished(runtime, { id, agentId }, turn))) return null;
  const { messages } = await runtime.conversations.messages(id, { limit: 50 });
  const deniedCalls = messages
    .filter(({ turnId }) => turnId === turn.id)
    .flatMap(({ calls }) => calls.filter(({ request }) => request?.verdict === "denied"))
    .map(({ callId }) => callId);
  return { id: turn.id, agentId, conversationId: id, deniedCalls };
}

type TurnRecord = Awaited<ReturnType<UserRuntime["turns"]["find"]>>;

async function isUnfinished(
  runtime: UserRuntime,
  { id, agentId }: Chat,
  { id: turnId, state, stopReason }: TurnRecord,
): Promise<boolean> {
  // An interrupted turn without a stop reason is unfinished.
  if (state !== "interrupted" || stopReason !== null) return false;
  const agent = await openIn(runtime, { agentId, conversationId: id }, { withoutCalls: true });
  return agent.unfinished && agent.messages.at(-1)?.turnId === turnId;
}
