// Finds the conversation that a request continues: OpenAI's clients send the history instead of an id.
// Invariant: a request never continues a conversation of another agent, and one that names none that fits starts a new one.
import type { UserRuntime } from "../../../runtime/runtime.ts";

/** Conversations that are compared, most recently used first: each costs one query. */
const maxCompared = 20;

export interface ConversationRequest {
  readonly agent: string;
  /** The id that the client gave; null if it gave none. */
  readonly id: string | null;
  /** The text of the last reply in the request; null in a new chat. */
  readonly lastReply: string | null;
  /** The calls whose results the request contains. */
  readonly callIds: readonly string[];
}

/**
 * Returns the id that the client gave, or the most recently used conversation whose last reply is that of the request, or made its calls. Null:
 * the request starts a new conversation.
 */
export async function findConversation(
  { conversations }: Pick<UserRuntime, "conversations">,
  { agent, id, lastReply, callIds }: ConversationRequest,
): Promise<string | null> {
  if (id !== null) return id;
  if (lastReply === null) return null;
  for (const { id: candidate } of await conversations.list(agent, { limit: maxCompared })) {
    const { messages } = await conversations.messages(candidate, { limit: 1 });
    const [last] = messages;
    if (last?.role !== "assistant") continue;
    // A reply that only calls tools has no text, but its calls have ids.
    const hasCall = last.calls.some(({ callId }) => callIds.includes(callId));
    if (callIds.length === 0 ? last.text.trim() === lastReply.trim() : hasCall) return candidate;
  }
  return null;
}
