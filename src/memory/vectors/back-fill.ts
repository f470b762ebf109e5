// Makes the vectors of one embedder: of what was said, after each turn, and those that an outage has left missing, in the
// background of an open runtime.
// Invariant: one bounded batch at a time, none while the embedder is left alone; it keeps no process alive, and ends when stopped.
import type { Clock } from "../../base/clock.ts";
import type { GuardedEmbedder } from "../../embedding/embedder.ts";
import { EmbeddingError } from "../../errors.ts";
import { batchSize, embedBatch } from "./embed-batch.ts";
import type { RefusedTexts } from "./refused-texts.ts";
import type { VectorNeed } from "../embedder-store.ts";
import type { Unembedded } from "./unembedded.ts";

export interface BackFill {
  /**
   * Says that there is something to do: among the newest messages with an agent or, without one, anywhere, which takes a look
   * at everything. Returns at once; does nothing once it was stopped.
   */
  wake(agentId?: string): void;
  /** Resolves when there is nothing left to do, or nothing that the embedder can do now. */
  idle(): Promise<void>;
  /** Ends the work that is under way. */
  stop(): Promise<void>;
}

export interface BackFillOptions {
  /** Everything that is to have vectors. */
  readonly texts: readonly Unembedded[];
  /** Whose texts are to have them. */
  readonly need: VectorNeed;
  /** Of it, what a turn has just added. */
  readonly recent: Unembedded;
  readonly embedder: GuardedEmbedder;
  readonly refused: RefusedTexts;
  readonly clock: Clock;
  /** Told of a failure that is not the embedder's; then nothing is done until the next `wake`. */
  readonly onFailure: (error: unknown) => void;
}

// Between two batches, and between two calls of an embedder that has failed and is not left alone yet.
const restMs = 250;

/** What was asked for and is not done. */
interface Wishes {
  everything: boolean;
  readonly agents: Set<string>;
}

export function createBackFill(options: BackFillOptions): BackFill {
  const stopping = new AbortController();
  const request: Wishes = { everything: false, agents: new Set() };
  let running: Promise<void> | undefined;

  async function work(): Promise<void> {
    try {
      await fill(options, request, stopping.signal);
    } catch (error) {
      request.everything = false;
      request.agents.clear();
      if (!stopping.signal.aborted) options.onFailure(error);
    }
    // What was wished for while the last of it ended.
    running = hasRequest(request) && !stopping.signal.aborted ? work() : undefined;
  }

  return {
    wake(agentId) {
      if (stopping.signal.aborted) return;
      if (agentId === undefined) request.everything = true;
      else request.agents.add(agentId);
      running ??= work();
    },
    async idle() {
      while (running !== undefined && options.embedder.pauseMs() === 0) {
        await Promise.race([running, options.clock.sleep(restMs)]);
      }
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

function hasRequest({ everything, agents }: Wishes): boolean {
  return everything || agents.size > 0;
}

async function fill(options: BackFillOptions, request: Wishes, signal: AbortSignal): Promise<void> {
  while (hasRequest(request)) {
    await options.clock.sleep(Math.max(restMs, options.embedder.pauseMs()), signal, { background: true });
    try {
      await fillSome(options, request, signal);
    } catch (error) {
      if (!isOutage(error)) throw error;
    }
  }
}

/**
 * One batch; of the newest messages first, which are the likeliest to be asked for. A wish is struck off before the look that
 * answers it, and comes back when there was something: what is wished for during the look is looked at again.
 */
async function fillSome(options: BackFillOptions, request: Wishes, signal: AbortSignal): Promise<void> {
  const [agentId] = request.agents;
  if (agentId === undefined) request.everything = false;
  else request.agents.delete(agentId);
  let isMore = true;
  try {
    isMore = agentId === undefined ? await fillAnything(options, signal) : await fillRecent(options, agentId, signal);
  } finally {
    if (isMore && agentId === undefined) request.everything = true;
    if (isMore && agentId !== undefined) request.agents.add(agentId);
  }
}

/** Whether there may be more of the agent's newest. */
async function fillRecent(
  { recent: texts, embedder, refused }: BackFillOptions,
  holder: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { asked } = await embedBatch({ holder, texts, embedder, refused, signal });
  return asked === batchSize;
}

/** Whether there was anything, and so may be more. */
async function fillAnything(
  { texts, need, embedder, refused }: BackFillOptions,
  signal: AbortSignal,
): Promise<boolean> {
  for (const kind of texts) {
    for (const { holder } of await kind.count(need)) {
      const { asked } = await embedBatch({ holder, texts: kind, embedder, refused, signal });
      if (asked > 0) return true;
    }
  }
  return false;
}

/** Whether the embedder failed, or was not called because it has: it is tried again. */
export function isOutage(error: unknown): boolean {
  return error instanceof EmbeddingError && error.code === "embedder_unavailable";
}
