// Finds the conversation that a request continues: OpenAI's clients send the history instead of an id.
// Invariant: a request never continues a conversation of another agent; a request that fits no conversation starts a new one.
import type { UserRuntime } from "../../../runtime/runtime.ts";

/** Maximum number of conversations that are compared, most recently used first; each costs one query. */
const maxCompared = 20;

export interface ConversationRequest {
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
    // A reply that only calls tools has no text; its calls' ids identify it.
    const hasCall = last.calls.some(({ callId }) => callIds.includes(callId));
    if (callIds.length === 0 ? last.text.trim() === lastReply.trim() : hasCall) return candidate;
  }
  return null;
}
