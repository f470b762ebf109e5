// What left the window of a message buffer, as it stands: batches that wait, summaries, and a count of what is in neither.
// Invariant: each message that came in is in a batch that waits, in a summary, or counted; never in two of them.
import { RingBuffer } from "../base/ring-buffer.ts";
import type { BufferedMessage, BufferedSummary } from "./buffered-message.ts";

/** Messages that left the window together, oldest first. */
export type Batch = readonly BufferedMessage[];

/** What is in neither the window nor a summary any more. */
export interface BufferDropCount {
  readonly messages: number;
  readonly summaries: number;
}

export interface OverflowLedger {
  /** Messages that have no summary yet, oldest first. */
  readonly waiting: readonly BufferedMessage[];
  /** The batch that is to be summarized next. */
  readonly next: Batch | undefined;
  readonly summaries: readonly BufferedSummary[];
  readonly dropped: BufferDropCount;
  /** Lets a batch wait, and drops the oldest ones while there are too many. */
  add(batch: Batch): void;
  /** Puts summaries in the place of a batch, also of one that was dropped meanwhile. */
  settle(batch: Batch, made: readonly BufferedSummary[]): void;
  /** Counts a batch that nobody is to summarize. */
  drop(batch: Batch): void;
}

export interface LedgerDeps {
  /** How many summaries are kept, and how many messages may wait for one. */
  readonly capacity: number;
  readonly batches: readonly Batch[];
  readonly summaries: readonly BufferedSummary[];
  readonly dropped: BufferDropCount;
}

export function createOverflowLedger({ capacity, ...restored }: LedgerDeps): OverflowLedger {
  const batches = new RingBuffer(restored.batches);
  const summaries = new RingBuffer(restored.summaries);
  const dropped = { ...restored.dropped };
  let waiting = restored.batches.flat().length;
  const takeNext = (): Batch => {
    const [batch = []] = batches.takeFirst(1);
    waiting -= batch.length;
    return batch;
  };
  return {
    get waiting() {
      return batches.items.flat();
    },
    get next() {
      return batches.at(0);
    },
    get summaries() {
      return summaries.items;
    },
    get dropped() {
      return { ...dropped };
    },
    add(batch) {
      batches.append(batch);
      waiting += batch.length;
      while (waiting > capacity) dropped.messages += takeNext().length;
    },
    settle(batch, made) {
      for (const summary of made) summaries.append(summary);
      dropped.summaries += summaries.takeFirst(summaries.length - capacity).length;
      if (batches.at(0) === batch) takeNext();
      else dropped.messages -= batch.length;
    },
    drop(batch) {
      dropped.messages += batch.length;
    },
  };
}
