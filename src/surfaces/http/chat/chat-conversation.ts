// Maps chats to conversations: clients choose the ids of their chats, and conversations have UUIDs.
import { valueOn } from "../../../base/thrown-values.ts";
import { RequestError } from "../../../base/errors.ts";
import { createHash } from "node:crypto";
import type { UserRuntime } from "../../../runtime/runtime.ts";

type Runtime = Pick<UserRuntime, "agents" | "conversations">;
type ConversationRecord = Awaited<ReturnType<UserRuntime["conversations"]["find"]>>;

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;

/** Returns the chat's id if it is a UUID, otherwise a UUID derived from the agent's id and the chat's id. */
export function conversationIdOf(agentId: string, chatId: string): string {
  if (uuid.test(chatId)) return chatId.toLowerCase();
  const hash = createHash("sha256").update(`${agentId}\n${chatId}`).digest("hex");
  // Version 8: a UUID whose content is defined by the application.
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  return [...parts, hash.slice(20, 32)].join("-");
}

/**
 * Returns the conversation of a chat; null for a new chat. Throws RequestError `agent_not_found`, and `conversation_not_found`
 * for a conversation of another agent.
 */
export async function findChat(runtime: Runtime, agent: string, chatId: string): Promise<ConversationRecord | null> {
  const { id: agentId } = await runtime.agents.find(agent);
  const found = await runtime.conversations
    .find(conversationIdOf(agentId, chatId))
    .catch(valueOn("conversation_not_found", null));
  if (found === null || found.agentId === agentId) return found;
  throw new RequestError("conversation_not_found", "There is no conversation of this agent with the chat's id.");
}

/** Returns the conversation of a chat, and creates it for a new chat. Throws the same errors as `findChat`. */
export async function openChat(runtime: Runtime, agent: string, chatId: string): Promise<ConversationRecord> {
  const found = await findChat(runtime, agent, chatId);
  if (found !== null) return found;
  const { id: agentId } = await runtime.agents.find(agent);
  try {
    return await runtime.conversations.create(agentId, { id: conversationIdOf(agentId, chatId) });
  } catch (error) {
    // Another request may have created the conversation meanwhile.
    const created = await findChat(runtime, agent, chatId);
    if (created === null) throw error;
    return created;
  }
}
