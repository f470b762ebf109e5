// The answers that pages did not get with the messages of their chat, because they were still being given.
// Invariant: an answer is noted for one page that loads its chat, and taken by the stream that the page opens then.

export interface LeftOutAnswers {
  /** `turnId`: null if the messages had every answer. */
  note(conversationId: string, turnId: string | null): void;
  /** Returns the noted turn, once; null if there is none. */
  take(conversationId: string): string | null;
}

/** Chats that are remembered. A page opens its stream right after it has loaded its chat. */
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
