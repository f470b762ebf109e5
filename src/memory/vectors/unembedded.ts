// The texts without a vector of one embedder: passages or messages, with one interface.
// Invariant: a vector is always made from the same form of a text, the one that searches expect.
import type { Embedder } from "../../model/embedding/embedder.ts";
import type { TextVersion, VectorKind, VectorNeed } from "../../store/port/embedder-store.ts";
import type { PassageStore } from "../../store/port/passage-store.ts";
import type { RecallStore } from "../../store/port/recall-store.ts";
import { textToEmbed } from "../recall/text-to-embed.ts";

/** A text without a vector. */
export interface PendingText extends TextVersion {
  readonly id: string;
  readonly text: string;
}

export interface Unembedded {
  /** Returns the agents and sources that have texts without a vector, with the number of these texts. */
  count(need: VectorNeed): Promise<readonly { readonly holder: string; readonly texts: number }[]>;
  /** Returns at most `limit` texts of one holder. */
  next(holder: string, limit: number): Promise<readonly PendingText[]>;
  add(
    holder: string,
    rows: readonly (TextVersion & { readonly id: string; readonly vector: readonly number[] })[],
  ): Promise<void>;
}

/** Returns the kind of vectors that an embedder makes. */
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
