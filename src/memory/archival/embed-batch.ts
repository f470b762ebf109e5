// One bounded piece of work on passages that have no vector yet.
// Invariant: a vector of the wrong width is refused by the store, so what is written is whole.
import type { Embedder } from "../../embedding/embedder.ts";
import type { PassageStore } from "../passage-store.ts";

export interface EmbeddingTask {
  /** The agent whose archive it is, or the source. */
  readonly archiveId: string;
  readonly passages: PassageStore;
  readonly embedder: Embedder;
  readonly signal?: AbortSignal;
}

/** Passages whose vectors are made in one call of the embedder. */
const batchSize = 32;

/** Makes the vectors of the oldest passages without one. Returns how many; 0 when there are none left. */
export async function embedBatch({ archiveId, passages, embedder, signal }: EmbeddingTask): Promise<number> {
  const { name, dimensions } = embedder;
  const pending = await passages.withoutVector(archiveId, { embedder: name, dimensions, limit: batchSize });
  if (pending.length === 0) return 0;
  const texts = pending.map((passage) => passage.content);
  const vectors = await embedder.embed(texts, signal === undefined ? {} : { signal });
  const rows = pending.map((passage, index) => ({ passageId: passage.id, vector: vectors[index] ?? [] }));
  await passages.addVectors(archiveId, { embedder: name, dimensions, rows });
  return pending.length;
}
