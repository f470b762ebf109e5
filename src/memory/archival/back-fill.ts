// Makes the vectors that are missing after an outage of the embedder, in the background of an open runtime.
// Invariant: one bounded batch at a time, none while the embedder is left alone; it keeps no process alive, and ends when stopped.
import type { Clock } from "../../base/clock.ts";
import type { GuardedEmbedder } from "../../embedding/embedder.ts";
import { EmbeddingError } from "../../errors.ts";
import type { PassageStore } from "../passage-store.ts";
import { embedBatch } from "./embed-batch.ts";

export interface BackFill {
  /** Says that there is something to do. Returns at once; does nothing when it is at work already, or was stopped. */
  wake(): void;
  /** Ends the work that is under way. */
  stop(): Promise<void>;
}

export interface BackFillOptions {
  readonly passages: PassageStore;
  readonly embedder: GuardedEmbedder;
  readonly clock: Clock;
  /** Told of a failure that is not the embedder's; then nothing is done until the next `wake`. */
  readonly onFailure: (error: unknown) => void;
}

// Between two batches, and between two calls of an embedder that has failed and is not left alone yet.
const restMs = 250;

export function createBackFill(options: BackFillOptions): BackFill {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  async function work(): Promise<void> {
    try {
      await fillAll(options, stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted) options.onFailure(error);
    } finally {
      running = undefined;
    }
  }

  return {
    wake() {
      if (!stopping.signal.aborted) running ??= work();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

async function fillAll({ passages, embedder, clock }: BackFillOptions, signal: AbortSignal): Promise<void> {
  const { name, dimensions } = embedder;
  for (;;) {
    await clock.sleep(Math.max(restMs, embedder.pauseMs()), signal, { background: true });
    const [next] = await passages.countWithoutVector({ embedder: name, dimensions });
    if (next === undefined) return;
    try {
      await embedBatch({ archiveId: next.archiveId, passages, embedder, signal });
    } catch (error) {
      if (!isOutage(error)) throw error;
    }
  }
}

/** Whether the embedder failed, or was not called because it has: it is tried again. */
export function isOutage(error: unknown): boolean {
  return error instanceof EmbeddingError && error.code === "embedder_unavailable";
}
