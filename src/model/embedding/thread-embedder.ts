// An embedder whose model runs in a worker thread, which gets texts in small batches.
// Invariant: the caller's event loop never runs the model; a closed embedder starts no thread.
import { appendAll } from "../../base/append-all.ts";
import { EmbeddingError } from "../../base/errors.ts";
import { createEmbedThread, type ThreadEntry } from "./embed-thread.ts";
import type { Embedder } from "./embedder.ts";
import { unitVectors } from "./unit-vectors.ts";

export interface ThreadEmbedderOptions extends Omit<Embedder, "embed" | "close"> {
  readonly thread: ThreadEntry;
  /** Converts any text to one that the model can read. */
  readonly prepare: (text: string) => string;
}

// Texts per request to the thread: after an abort, at most these are still embedded.
const batchSize = 8;

/** The thread starts with the first `embed`. */
export function createThreadEmbedder({ thread: entry, prepare, ...facts }: ThreadEmbedderOptions): Embedder {
  const thread = createEmbedThread(entry);
  let closed = false;
  return {
    ...facts,
    async embed(texts, { signal } = {}) {
      signal?.throwIfAborted();
      const vectors: (readonly number[])[] = [];
      for (let from = 0; from < texts.length; from += batchSize) {
        if (closed) throw new EmbeddingError("embedding_failed", `The embedder ${facts.name} is closed.`);
        const batch = texts.slice(from, from + batchSize).map(prepare);
        const flat = await thread.request(batch, signal);
        appendAll(vectors, unitVectors(flat, { count: batch.length, dimensions: facts.dimensions }));
      }
      return vectors;
    },
    async close() {
      closed = true;
      await thread.stop();
    },
  };
}
