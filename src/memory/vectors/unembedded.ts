// What still has to get a vector of one embedder: passages, or messages, behind one interface.
// Invariant: a text is made a vector of as the search expects it, whoever asks for the work.
import type { Embedder } from "../../embedding/embedder.ts";
import type { VectorKind, VectorNeed } from "../embedder-store.ts";
import type { PassageStore } from "../passage-store.ts";
import type { RecallStore } from "../recall-store.ts";
import { textToEmbed } from "../recall/text-to-embed.ts";

/** A text without a vector. */
export interface PendingText {
  readonly id: string;
  readonly text: string;
}

export interface Unembedded {
  /** How many there are by agent or source, only those that have any. */
  count(need: VectorNeed): Promise<readonly { readonly holder: string; readonly texts: number }[]>;
  /** At most so many of one holder's. */
  next(holder: string, limit: number): Promise<readonly PendingText[]>;
  add(holder: string, rows: readonly { readonly id: string; readonly vector: readonly number[] }[]): Promise<void>;
}

/** Which vectors an embedder makes. */
export function kindOf({ name, dimensions }: Pick<Embedder, "name" | "dimensions">): VectorKind {
  return { embedder: name, dimensions };
}

/** Passages of archives and sources, oldest first; with `among`, only of so many of the newest, however many there are. */
export function passagesToEmbed(passages: PassageStore, kind: VectorKind, among?: number): Unembedded {
  const few = among === undefined ? {} : { among };
  return {
    count: async (need) =>
      (await passages.countWithoutVector(need)).map(({ archiveId, passages: texts }) => ({ holder: archiveId, texts })),
    next: async (holder, limit) =>
      (await passages.withoutVector(holder, { ...kind, ...few, limit })).map(({ id, content }) => ({
        id,
        text: content,
      })),
    add: (holder, rows) =>
      passages.addVectors(holder, { ...kind, rows: rows.map(({ id, vector }) => ({ passageId: id, vector })) }),
  };
}

/** Messages that recall can find, newest first; with `among`, only of so many of the newest, however many there are. */
export function messagesToEmbed(recall: RecallStore, kind: VectorKind, among?: number): Unembedded {
  const few = among === undefined ? {} : { among };
  return {
    count: async (need) =>
      (await recall.countWithoutVector(need)).map(({ agentId, messages }) => ({ holder: agentId, texts: messages })),
    next: async (holder, limit) =>
      (await recall.withoutVector(holder, { ...kind, ...few, limit })).map((message) => ({
        id: message.id,
        text: textToEmbed(message),
      })),
    add: (holder, rows) =>
      recall.addVectors(holder, { ...kind, rows: rows.map(({ id, vector }) => ({ messageId: id, vector })) }),
  };
}
