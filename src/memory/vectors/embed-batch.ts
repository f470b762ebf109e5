// One bounded piece of work on texts that have no vector yet.
// Invariant: a vector of the wrong width is refused by the store, so what is written is whole; a text that the embedder refuses
// holds up no other and is not asked for again.
import type { Embedder } from "../../embedding/embedder.ts";
import type { RefusedTexts } from "./refused-texts.ts";
import type { PendingText, Unembedded } from "./unembedded.ts";

export interface EmbeddingTask {
  /** The agent or the source whose texts they are. */
  readonly holder: string;
  readonly texts: Unembedded;
  readonly embedder: Embedder;
  readonly refused: RefusedTexts;
  readonly signal?: AbortSignal;
}

/** Texts whose vectors are made in one call of the embedder, unless a re-embedding is told otherwise. */
export const batchSize = 32;

export interface EmbeddedBatch {
  /** Texts whose vectors were asked for; 0 when there are none left to ask for. */
  readonly asked: number;
  /** Those that have theirs now; the others are refused. */
  readonly made: number;
}

export async function embedBatch(task: EmbeddingTask): Promise<EmbeddedBatch> {
  const pending = await pendingTexts(task, batchSize);
  return { asked: pending.length, made: pending.length === 0 ? 0 : await embedTexts(task, pending) };
}

/** Batch after batch, until there is none left. */
export async function* embedAll(task: EmbeddingTask): AsyncGenerator<EmbeddedBatch, void> {
  for (let batch = await embedBatch(task); batch.asked > 0; batch = await embedBatch(task)) {
    yield batch;
    task.signal?.throwIfAborted();
  }
}

/** At most so many texts without a vector, of those that are not refused. */
export async function pendingTexts(
  { holder, texts, refused }: EmbeddingTask,
  limit: number,
): Promise<readonly PendingText[]> {
  const known = refused.of(holder);
  const found = await texts.next(holder, limit + known.size);
  return found.filter(({ id }) => !known.has(id)).slice(0, limit);
}

/** Makes the vectors of these, in one call, and stores them. Returns how many were made: those of the others are refused. */
export async function embedTexts(task: EmbeddingTask, pending: readonly PendingText[]): Promise<number> {
  const { holder, texts, embedder, refused, signal } = task;
  const asked = pending.map(({ text }) => text);
  const vectors = await embedder.embed(asked, signal === undefined ? {} : { signal });
  const rows = pending.flatMap(({ id }, index) => {
    const vector = vectors[index];
    return vector === null ? [] : [{ id, vector: vector ?? [] }];
  });
  if (rows.length > 0) await texts.add(holder, rows);
  const without = pending.filter((_, index) => vectors[index] === null).map(({ id }) => id);
  if (without.length > 0) refused.add(holder, without);
  return rows.length;
}
