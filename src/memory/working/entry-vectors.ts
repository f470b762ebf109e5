// Makes the vectors of what working memory holds, beside whoever adds and searches.
// Invariant: one batch at a time, oldest first; a failure loses nothing, is told, and is tried again after a rest.
import type { Clock } from "../../base/clock.ts";
import { untilAborted } from "../../base/until-aborted.ts";
import type { Embedder } from "../../embedding/embedder.ts";
import { EmbeddingError } from "../../errors.ts";
import type { WorkingEntry } from "./working-entry.ts";

export interface EntryVectors {
  /** Begins, unless it is at it or at rest; returns at once. */
  wake(): void;
  /** The same, also at rest. */
  retry(): void;
  /** Resolves when nothing is being made. */
  idle(): Promise<void>;
}

export interface EntryVectorDeps {
  readonly embedder: Embedder;
  readonly clock: Clock;
  /** The oldest that wait, so many at most. */
  readonly waiting: (max: number) => readonly WorkingEntry[];
  /** Told of each failure. It must not throw. */
  readonly onFailure: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Texts in one call of the embedder. */
const batchSize = 32;
/** After a failure, milliseconds in which nothing that is added or searched leads to another call. */
const restMs = 10_000;

export function createEntryVectors(deps: EntryVectorDeps): EntryVectors {
  const { clock, signal, onFailure } = deps;
  let running: Promise<void> | null = null;
  let restsUntil = 0;

  async function work(): Promise<void> {
    // What is added in one go is embedded together, and nobody who adds waits for the embedder's first steps.
    await Promise.resolve();
    try {
      for (;;) {
        const batch = signal.aborted ? [] : deps.waiting(batchSize);
        if (batch.length === 0) return;
        await embedEntries(batch, deps);
      }
    } catch (error) {
      if (signal.aborted) return;
      restsUntil = clock.now().getTime() + restMs;
      onFailure(error);
    } finally {
      // In the very step in which nothing more was found: between that and a later one, a wake would be lost.
      running = null;
    }
  }

  const retry = (): void => {
    if (signal.aborted || running !== null) return;
    running = work();
  };
  return {
    retry,
    wake() {
      if (clock.now().getTime() >= restsUntil) retry();
    },
    async idle() {
      while (running !== null) await running;
    },
  };
}

async function embedEntries(batch: readonly WorkingEntry[], { embedder, signal }: EntryVectorDeps): Promise<void> {
  const texts = batch.map(({ text }) => text);
  const vectors = await untilAborted(embedder.embed(texts, { signal }), signal);
  if (vectors.length !== batch.length) {
    throw new EmbeddingError("embedding_failed", `Expected ${batch.length} vectors, got ${vectors.length}.`);
  }
  const made = vectors.map((vector) => (vector === null ? null : compactVector(vector, embedder)));
  for (const [place, entry] of batch.entries()) {
    entry.vector = made[place] ?? null;
    entry.state = entry.vector === null ? "refused" : "done";
  }
}

/** In half the room. Throws EmbeddingError `embedding_width`. */
export function compactVector(vector: readonly number[], { dimensions }: Pick<Embedder, "dimensions">): Float32Array {
  if (vector.length === dimensions) return Float32Array.from(vector);
  throw new EmbeddingError(
    "embedding_width",
    `Expected a vector of ${dimensions} numbers, got one of ${vector.length}.`,
  );
}
