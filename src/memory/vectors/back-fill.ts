// Makes the missing vectors of one embedder in the background, while a runtime is open: those of new messages after each
// turn, and those of texts for which an outage prevented a vector.
// Invariant: one bounded batch at a time, and none while the embedder's circuit breaker is open; it keeps no process alive,
// and ends when stopped.
import type { Clock } from "../../base/clock.ts";
import type { GuardedEmbedder } from "../../model/embedding/embedder.ts";
import { EmbeddingError } from "../../base/errors.ts";
import { batchSize, embedBatch } from "./embed-batch.ts";
import type { RefusedTexts } from "./refused-texts.ts";
import type { VectorNeed } from "../../store/port/embedder-store.ts";
import type { Unembedded } from "./unembedded.ts";

export interface BackFill {
  isRunning(): boolean;
  /**
   * Requests work: with an agent, on its newest messages; otherwise on all texts, by a full scan. Returns at once; does nothing
   * after `stop`.
   */
  wake(agentId?: string): void;
  /** Resolves when nothing is left to do or the embedder's circuit is open. */
  idle(): Promise<void>;
  /** Cancels the work in progress. */
  stop(): Promise<void>;
}

export interface BackFillOptions {
  /** The kinds of texts that a full scan covers: passages and messages. */
  readonly texts: readonly Unembedded[];
  /** Selects the texts that need vectors. */
  readonly need: VectorNeed;
  /** The newest messages of an agent, which include those of its last turn. */
  readonly recent: Unembedded;
  readonly embedder: GuardedEmbedder;
  readonly refused: RefusedTexts;
  readonly clock: Clock;
  readonly onVectors: (made: number) => void;
  /** Called for failures that the embedder did not cause; work then pauses until the next `wake`. */
  readonly onFailure: (error: unknown) => void;
}

// Pause between two batches, and between two calls of a failing embedder while its circuit is still closed.
const pauseMs = 250;

/** Requested work that is not done yet. */
interface PendingRequests {
  all: boolean;
  readonly agents: Set<string>;
}

export function createBackFill(options: BackFillOptions): BackFill {
  const stopping = new AbortController();
  const request: PendingRequests = { all: false, agents: new Set() };
  let running: Promise<void> | undefined;

  async function work(): Promise<void> {
    try {
      await fill(options, request, stopping.signal);
    } catch (error) {
      request.all = false;
      request.agents.clear();
      if (!stopping.signal.aborted) options.onFailure(error);
    }
    // Starts again if more work was requested while the last batch ended.
    running = hasRequest(request) && !stopping.signal.aborted ? work() : undefined;
  }

  return {
    isRunning: () => running !== undefined,
    wake(agentId) {
      if (stopping.signal.aborted) return;
      if (agentId === undefined) request.all = true;
      else request.agents.add(agentId);
      running ??= work();
    },
    async idle() {
      while (running !== undefined && options.embedder.pauseMs() === 0) {
        await Promise.race([running, options.clock.sleep(pauseMs)]);
      }
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

function hasRequest({ all, agents }: PendingRequests): boolean {
  return all || agents.size > 0;
}

async function fill(options: BackFillOptions, request: PendingRequests, signal: AbortSignal): Promise<void> {
  while (hasRequest(request)) {
    await options.clock.sleep(Math.max(pauseMs, options.embedder.pauseMs()), signal, { background: true });
    try {
      await fillBatch(options, request, signal);
    } catch (error) {
      if (!isOutage(error)) throw error;
    }
  }
}

/**
 * Runs one batch; newest messages first, because they are the most likely to be searched. A request is removed before
 * its query runs, and restored if the query fails or texts may be left, so that a request during the query is not lost.
 */
async function fillBatch(options: BackFillOptions, request: PendingRequests, signal: AbortSignal): Promise<void> {
  const [agentId] = request.agents;
  if (agentId === undefined) request.all = false;
  else request.agents.delete(agentId);
  let isMore = true;
  try {
    isMore = agentId === undefined ? await fillAll(options, signal) : await fillRecent(options, agentId, signal);
  } finally {
    if (isMore && agentId === undefined) request.all = true;
    if (isMore && agentId !== undefined) request.agents.add(agentId);
  }
}

/** Returns whether the agent may have more new messages without vectors. */
async function fillRecent(
  { recent: texts, embedder, refused, onVectors }: BackFillOptions,
  holder: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { requested, made } = await embedBatch({ holder, texts, embedder, refused, signal });
  onVectors(made);
  return requested === batchSize;
}

/** Returns whether any texts were found, so that there may be more. */
async function fillAll(
  { texts, need, embedder, refused, onVectors }: BackFillOptions,
  signal: AbortSignal,
): Promise<boolean> {
  for (const kind of texts) {
    for (const { holder } of await kind.count(need)) {
      const { requested, made } = await embedBatch({ holder, texts: kind, embedder, refused, signal });
      onVectors(made);
      if (requested > 0) return true;
    }
  }
  return false;
}

/** Returns whether the embedder failed, or was skipped because it had failed. Such a call is retried. */
export function isOutage(error: unknown): boolean {
  return error instanceof EmbeddingError && error.code === "embedder_unavailable";
}
