// One bounded piece of work on texts that have no vector yet.
// Invariant: a vector of the wrong width is refused by the store, so what is written is whole; a text that the embedder refuses
// holds up no other and is not asked for again.
import type { Embedder } from "../../embedding/embedder.ts";
import type { RefusedTexts } from "./refused-texts.ts";
import type { Unembedded } from "./unembedded.ts";

export interface EmbeddingTask {
  /** The agent or the source whose texts they are. */
  readonly holder: string;
  readonly texts: Unembedded;
  readonly embedder: Embedder;
  readonly refused: RefusedTexts;
  readonly signal?: AbortSignal;
}

/** Texts whose vectors are made in one call of the embedder. */
export const batchSize = 32;

/** Asks for the vectors of some texts without one. Returns for how many; 0 when there are none left to ask for. */
export async function embedBatch({ holder, texts, embedder, refused, signal }: EmbeddingTask): Promise<number> {
  const known = refused.of(holder);
  const found = await texts.next(holder, batchSize + known.size);
  const pending = found.filter(({ id }) => !known.has(id)).slice(0, batchSize);
  if (pending.length === 0) return 0;
  const asked = pending.map(({ text }) => text);
  const vectors = await embedder.embed(asked, signal === undefined ? {} : { signal });
  const rows = pending.flatMap(({ id }, index) => {
    const vector = vectors[index];
    return vector === null ? [] : [{ id, vector: vector ?? [] }];
  });
  if (rows.length > 0) await texts.add(holder, rows);
  const without = pending.filter((_, index) => vectors[index] === null).map(({ id }) => id);
  if (without.length > 0) refused.add(holder, without);
  return pending.length;
}
