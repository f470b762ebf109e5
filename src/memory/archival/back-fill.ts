// Makes the vectors that are missing after an outage of the embedder, in the background of an open runtime.
// Invariant: one bounded batch at a time, none while the embedder is left alone; it keeps no process alive, and ends when stopped.
import type { Clock } from "../../base/clock.ts";
import type { GuardedEmbedder } from "../../embedding/embedder.ts";
import { EmbeddingError } from "../../errors.ts";
import type { PassageStore } from "../passage-store.ts";
import { embedBatch } from "./embed-batch.ts";
import type { RefusedPassages } from "./refused-passages.ts";

export interface BackFill {
  /** Says that there is something to do. Returns at once; does nothing when it is at work already, or was stopped. */
  wake(): void;
  /** Ends the work that is under way. */
  stop(): Promise<void>;
}

export interface BackFillOptions {
  readonly passages: PassageStore;
  readonly embedder: GuardedEmbedder;
  readonly refused: RefusedPassages;
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

async function fillAll(options: BackFillOptions, signal: AbortSignal): Promise<void> {
  const { embedder, clock } = options;
  let isMore = true;
  while (isMore) {
    await clock.sleep(Math.max(restMs, embedder.pauseMs()), signal, { background: true });
    try {
      isMore = await fillSome(options, signal);
    } catch (error) {
      if (!isOutage(error)) throw error;
    }
  }
}

/** One batch of the first agent that has something to ask for. False when none has: the rest is refused. */
async function fillSome({ passages, embedder, refused }: BackFillOptions, signal: AbortSignal): Promise<boolean> {
  const { name, dimensions } = embedder;
  for (const { archiveId } of await passages.countWithoutVector({ embedder: name, dimensions })) {
    if ((await embedBatch({ archiveId, passages, embedder, refused, signal })) > 0) return true;
  }
  return false;
}

/** Whether the embedder failed, or was not called because it has: it is tried again. */
export function isOutage(error: unknown): boolean {
  return error instanceof EmbeddingError && error.code === "embedder_unavailable";
}
