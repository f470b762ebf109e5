// Remembers the answers that were left out of the messages of a chat because they were still being generated.
// Invariant: an answer is noted when a page loads its chat, and taken when the page then opens the chat's stream.

export interface LeftOutAnswers {
  /** Notes the turn of an answer that was left out; `turnId` is null if none was left out. */
  note(conversationId: string, turnId: string | null): void;
  /** Returns the noted turn and forgets it; null if there is none. */
  take(conversationId: string): string | null;
}

/** Maximum number of remembered chats. A chat is remembered only until the page that loaded it opens the stream. */
const maxChats = 10_000;

export function createLeftOutAnswers(): LeftOutAnswers {
  const turns = new Map<string, string>();
  return {
    note(conversationId, turnId) {
      turns.delete(conversationId);
      if (turnId === null) return;
      turns.set(conversationId, turnId);
      const [oldest] = turns.keys();
      if (turns.size > maxChats && oldest !== undefined) turns.delete(oldest);
    },
    take(conversationId) {
      const turnId = turns.get(conversationId) ?? null;
      turns.delete(conversationId);
      return turnId;
    },
  };
}
