// Makes the vectors of working memory's entries in the background.
// Invariant: one batch at a time, oldest first; a failure loses nothing, is reported, and is retried after a pause.
import type { Clock } from "../../base/clock.ts";
import { untilAborted } from "../../base/waiting.ts";
import type { Embedder } from "../../model/embedding/embedder.ts";
import { EmbeddingError } from "../../base/errors.ts";
import type { WorkingEntry } from "./working-entry.ts";

export interface EntryVectors {
  /** Starts work unless it is running or pausing after a failure; returns at once. */
  wake(): void;
  /** Like `wake`, but also ends a pause after a failure. */
  retry(): void;
  /** Resolves when no vector is being made. */
  idle(): Promise<void>;
}

export interface EntryVectorDeps {
  readonly embedder: Embedder;
  readonly clock: Clock;
  /** Returns at most `max` of the oldest entries without a vector. */
  readonly waiting: (max: number) => readonly WorkingEntry[];
  /** Receives the error of each failed call of the embedder. Must not throw. */
  readonly onFailure: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Texts per call of the embedder. */
const batchSize = 32;
/** Milliseconds after a failure during which `wake` does not call the embedder again. */
const pauseMs = 10_000;

export function createEntryVectors(deps: EntryVectorDeps): EntryVectors {
  const { clock, signal, onFailure } = deps;
  let running: Promise<void> | null = null;
  let pausedUntil = 0;

  async function work(): Promise<void> {
    // Entries added in the same task are embedded together, and callers of `add` do not wait for the embedder.
    await Promise.resolve();
    try {
      for (;;) {
        const batch = signal.aborted ? [] : deps.waiting(batchSize);
        if (batch.length === 0) return;
        await embedEntries(batch, deps);
      }
    } catch (error) {
      if (signal.aborted) return;
      pausedUntil = clock.now().getTime() + pauseMs;
      onFailure(error);
    } finally {
      // Reset in the same task that found no more entries: otherwise, a `wake` before the reset would be lost.
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
      if (clock.now().getTime() >= pausedUntil) retry();
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
    throw new EmbeddingError(
      "embedding_failed",
      `Expected ${batch.length} vectors from the embedder, got ${vectors.length}.`,
    );
  }
  const made = vectors.map((vector) => (vector === null ? null : compactVector(vector, embedder)));
  for (const [place, entry] of batch.entries()) {
    entry.vector = made[place] ?? null;
    entry.state = entry.vector === null ? "refused" : "done";
  }
}

/**
 * Returns a vector as 32-bit numbers, half the size; null if a number is not finite, because such a vector would be the best
 * hit of every search. Throws EmbeddingError `embedding_dimensions_mismatch`.
 */
export function compactVector(
  vector: readonly number[],
  { dimensions }: Pick<Embedder, "dimensions">,
): Float32Array | null {
  const compact = Float32Array.from(vector);
  if (vector.length === dimensions) return compact.every(Number.isFinite) ? compact : null;
  throw new EmbeddingError(
    "embedding_dimensions_mismatch",
    `Expected a vector of ${dimensions} numbers from the embedder, got ${vector.length} numbers.`,
  );
}
