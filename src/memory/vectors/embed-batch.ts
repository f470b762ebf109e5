// Makes the vectors of one bounded batch of texts.
// Invariant: the store refuses vectors with the wrong number of dimensions, so stored vectors are complete; a text that the
// embedder refuses delays no other and is not retried.
import type { Embedder } from "../../model/embedding/embedder.ts";
import type { RefusedTexts } from "./refused-texts.ts";
import type { PendingText, Unembedded } from "./unembedded.ts";

export interface EmbeddingTask {
  /** The agent or the source that the texts belong to. */
  readonly holder: string;
  readonly texts: Unembedded;
  readonly embedder: Embedder;
  readonly refused: RefusedTexts;
  readonly signal?: AbortSignal;
}

/**
 * Default number of texts per call of the embedder. Each batch is read by one query and stored in one transaction,
 * which take longer than a local embedder's call: with batches of 32, storing 200 vectors took 50 % longer. On the
 * embedded engine, which runs one transaction at a time, storing 128 vectors of 512 dimensions takes about 0.1 s: a
 * turn's statement waits at most that long for a batch.
 */
export const batchSize = 128;

export interface EmbeddedBatch {
  /** Number of texts sent to the embedder; 0 if none is left. */
  readonly requested: number;
  /** Number of vectors stored; the other texts were refused. */
  readonly made: number;
}

export async function embedBatch(task: EmbeddingTask): Promise<EmbeddedBatch> {
  const pending = await pendingTexts(task, batchSize);
  return { requested: pending.length, made: pending.length === 0 ? 0 : await embedTexts(task, pending) };
}

/** Runs batches until no text is left. */
export async function* embedAll(task: EmbeddingTask): AsyncGenerator<EmbeddedBatch, void> {
  for (let batch = await embedBatch(task); batch.requested > 0; batch = await embedBatch(task)) {
    yield batch;
    task.signal?.throwIfAborted();
  }
}

/** Returns at most `limit` texts that have no vector and were not refused. */
export async function pendingTexts(
  { holder, texts, refused }: EmbeddingTask,
  limit: number,
): Promise<readonly PendingText[]> {
  const found = await texts.next(holder, limit + refused.of(holder).size);
  // The refused texts are read again, because another batch may have added some meanwhile.
  const known = refused.of(holder);
  return found.filter(({ id }) => !known.has(id)).slice(0, limit);
}

/**
 * Makes the vectors of these texts in one call, and stores them. Returns the number of vectors made; the other texts were
 * refused.
 */
export async function embedTexts(task: EmbeddingTask, pending: readonly PendingText[]): Promise<number> {
  const { holder, texts, embedder, refused, signal } = task;
  const asked = pending.map(({ text }) => text);
  const vectors = await embedder.embed(asked, signal === undefined ? {} : { signal });
  const rows = pending.flatMap(({ text: _text, ...read }, index) => {
    const vector = vectors[index];
    return vector === null ? [] : [{ ...read, vector: vector ?? [] }];
  });
  const without = pending.filter((_, index) => vectors[index] === null).map(({ id }) => id);
  if (without.length > 0) refused.add(holder, without);
  if (rows.length > 0) await texts.add(holder, rows);
  return rows.length;
}
