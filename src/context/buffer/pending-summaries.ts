// The messages that left the window of a message buffer: waiting batches, summaries, and a count of dropped ones.
// Invariant: each evicted message is in a waiting batch, in a summary, or counted, and never in two of them.
import { RingBuffer } from "../../base/ring-buffer.ts";
import type { BufferedMessage, BufferedSummary } from "./buffered-message.ts";

/** Messages that left the window together, oldest first. */
export type Batch = readonly BufferedMessage[];

/** Messages and summaries that were dropped. */
export interface BufferDropCount {
  readonly messages: number;
  readonly summaries: number;
}

export interface OverflowLedger {
  /** Messages without a summary yet, oldest first. */
  readonly waiting: readonly BufferedMessage[];
  /** The batch to summarize next. */
  readonly next: Batch | undefined;
  readonly summaries: readonly BufferedSummary[];
  readonly dropped: BufferDropCount;
  /** Adds a waiting batch, and drops the oldest ones above the limit. */
  add(batch: Batch): void;
  /** Replaces a batch with its summaries, even if it was dropped meanwhile. */
  settle(batch: Batch, made: readonly BufferedSummary[]): void;
  /** Counts a batch as dropped without a summary. */
  drop(batch: Batch): void;
}

export interface LedgerDeps {
  /** Maximum number of summaries, and of messages that wait for one. */
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
