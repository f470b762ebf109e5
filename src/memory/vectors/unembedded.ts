// Reads the texts that lack a vector of one embedder, and adds vectors; passages and messages have the same interface.
// Invariant: texts are embedded in one form only, messages in that of `textToEmbed`; the cost does not grow with the length
// of the previous message.
import type { Embedder } from "../../model/embedding/embedder.ts";
import type { TextVersion, VectorKind, VectorNeed } from "../../store/port/embedder-store.ts";
import type { PassageStore } from "../../store/port/passage-store.ts";
import type { MessageToEmbed, RecallStore } from "../../store/port/recall-store.ts";
import { isQuestion, sentencesIn } from "../../base/sentences.ts";

export interface PendingText extends TextVersion {
  readonly id: string;
  readonly text: string;
}

export interface Unembedded {
  /** Returns the agents and sources that have texts without a vector, with the number of these texts. */
  count(need: VectorNeed): Promise<readonly { readonly holder: string; readonly texts: number }[]>;
  /** Returns at most `limit` texts without a vector of one holder, which is the agent or source that owns them. */
  next(holder: string, limit: number): Promise<readonly PendingText[]>;
  add(
    holder: string,
    rows: readonly (TextVersion & { readonly id: string; readonly vector: readonly number[] })[],
  ): Promise<void>;
}

export function kindOf({ name, dimensions }: Pick<Embedder, "name" | "dimensions">): VectorKind {
  return { embedder: name, dimensions };
}

/** Passages of archives and sources, oldest first; with `among`, only the newest `among` passages are considered. */
export function passagesToEmbed(passages: PassageStore, kind: VectorKind, among?: number): Unembedded {
  const few = among === undefined ? {} : { among };
  return {
    count: async (need) =>
      (await passages.countWithoutVector(need)).map(({ archiveId, passages: texts }) => ({ holder: archiveId, texts })),
    next: async (holder, limit) =>
      (await passages.withoutVector(holder, { ...kind, ...few, limit })).map(({ content, ...row }) => ({
        ...row,
        text: content,
      })),
    add: (holder, rows) =>
      passages.addVectors(holder, { ...kind, rows: rows.map(({ id, ...row }) => ({ passageId: id, ...row })) }),
  };
}

/** Messages that recall can find, newest first; with `among`, only the newest `among` messages are considered. */
export function messagesToEmbed(recall: RecallStore, kind: VectorKind, among?: number): Unembedded {
  const few = among === undefined ? {} : { among };
  return {
    count: async (need) =>
      (await recall.countWithoutVector(need)).map(({ agentId, messages }) => ({ holder: agentId, texts: messages })),
    next: async (holder, limit) =>
      (await recall.withoutVector(holder, { ...kind, ...few, limit })).map(({ speaker, previous, ...message }) => ({
        ...message,
        text: textToEmbed({ text: message.text, speaker, previous }),
      })),
    add: (holder, rows) =>
      recall.addVectors(holder, { ...kind, rows: rows.map(({ id, ...row }) => ({ messageId: id, ...row })) }),
  };
}

// Characters at the end of the previous message whose questions are embedded, too. An embedder reads only a few hundred words.
const readOfPrevious = 600;

/**
 * Returns the text to embed, with the questions of the previous message before it, such as "Where do you live? Ada: In
 * Lisbon.": an answer seldom repeats the words of its question.
 */
export function textToEmbed({ text, speaker, previous }: Omit<MessageToEmbed, "id">): string {
  const questions = previous === null ? [] : sentencesIn(previous.slice(-readOfPrevious)).filter(isQuestion);
  return [...questions.map((one) => one.trim()), speaker === null ? text : `${speaker}: ${text}`].join(" ");
}
