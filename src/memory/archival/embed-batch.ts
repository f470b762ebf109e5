// One bounded piece of work on passages that have no vector yet.
// Invariant: a vector of the wrong width is refused by the store, so what is written is whole; a passage that the embedder
// refuses holds up no other and is not asked for again.
import type { Embedder } from "../../embedding/embedder.ts";
import type { PassageStore } from "../passage-store.ts";
import type { RefusedPassages } from "./refused-passages.ts";

export interface EmbeddingTask {
  /** The agent whose archive it is, or the source. */
  readonly archiveId: string;
  readonly passages: PassageStore;
  readonly embedder: Embedder;
  readonly refused: RefusedPassages;
  readonly signal?: AbortSignal;
}

/** Passages whose vectors are made in one call of the embedder. */
const batchSize = 32;

/** Asks for the vectors of the oldest passages without one. Returns for how many; 0 when there are none left to ask for. */
export async function embedBatch(task: EmbeddingTask): Promise<number> {
  const { archiveId, passages, embedder, refused, signal } = task;
  const { name, dimensions } = embedder;
  const pending = await pendingOf(task);
  if (pending.length === 0) return 0;
  const texts = pending.map((passage) => passage.content);
  const vectors = await embedder.embed(texts, signal === undefined ? {} : { signal });
  const rows = pending.flatMap(({ id }, index) => {
    const vector = vectors[index];
    return vector === null ? [] : [{ passageId: id, vector: vector ?? [] }];
  });
  if (rows.length > 0) await passages.addVectors(archiveId, { embedder: name, dimensions, rows });
  const without = pending.filter((_, index) => vectors[index] === null);
  refused.add(
    archiveId,
    without.map(({ id }) => id),
  );
  return pending.length;
}

async function pendingOf({
  archiveId,
  passages,
  embedder: { name, dimensions },
  refused,
}: EmbeddingTask): ReturnType<PassageStore["withoutVector"]> {
  const known = refused.of(archiveId);
  const limit = batchSize + known.size;
  const found = await passages.withoutVector(archiveId, { embedder: name, dimensions, limit });
  return found.filter(({ id }) => !known.has(id)).slice(0, batchSize);
}
