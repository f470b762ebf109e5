// Summarizes the messages that left the window of a message buffer, in the background.
// Invariant: each evicted message is in a waiting batch, in a summary, or counted as dropped, and never in two of these; a
// batch waits until its summaries are made, so a slow or failing summarizer loses nothing; one batch is summarized at a time.
import { groupBy } from "../../base/lists.ts";
import { RequestError } from "../../base/errors.ts";
import { RingBuffer } from "../../base/ring-buffer.ts";
import { type BufferedMessage, type BufferedSummary, userOf } from "./buffered-message.ts";

/** Summarizes messages of one user, given oldest first. */
export type BufferSummarizer = (messages: readonly BufferedMessage[]) => Promise<string>;

export interface Overflow extends Pick<OverflowLedger, "waiting" | "summaries" | "dropped"> {
  /** Why the last attempt failed; null after a success. */
  readonly failure: RequestError | null;
  /** Adds evicted messages, and starts to summarize them. */
  add(batch: Batch): void;
  /** Summarizes all waiting messages. Throws RequestError `summary_failed`; messages that were not summarized keep waiting. */
  summarize(): Promise<void>;
}

export interface OverflowDeps {
  readonly ledger: OverflowLedger;
  /** Null: evicted messages are dropped, but the waiting messages of a restored buffer keep waiting. */
  readonly summarizer: BufferSummarizer | null;
  readonly onSummaryFailure: (error: RequestError) => void;
}

export function createOverflow({ ledger, summarizer, onSummaryFailure }: OverflowDeps): Overflow {
  let failure: RequestError | null = null;
  let running: Promise<void> | null = null;

  const work = async (summarize: BufferSummarizer): Promise<void> => {
    for (let batch = ledger.next; batch !== undefined; batch = ledger.next) {
      ledger.settle(batch, await summariesOf(batch, summarize));
      failure = null;
    }
  };
  const start = (summarize: BufferSummarizer): Promise<void> => {
    running ??= work(summarize)
      .catch((cause: unknown) => {
        failure = summaryFailed(ledger.waiting.length, cause);
        throw failure;
      })
      .finally(() => {
        running = null;
      });
    return running;
  };
  const summarizeBehind = (summarize: BufferSummarizer): void => {
    if (running === null) start(summarize).catch(onSummaryFailure);
  };
  if (summarizer !== null && ledger.next !== undefined) summarizeBehind(summarizer);

  return {
    get waiting() {
      return ledger.waiting;
    },
    get summaries() {
      return ledger.summaries;
    },
    get dropped() {
      return ledger.dropped;
    },
    get failure() {
      return failure;
    },
    add(batch) {
      if (summarizer === null) return ledger.drop(batch);
      ledger.add(batch);
      summarizeBehind(summarizer);
    },
    async summarize() {
      while (summarizer !== null && ledger.next !== undefined) await start(summarizer);
    },
  };
}

/** Makes a separate summary for each user in the batch: in a shared summary, a user would read what another user wrote. */
async function summariesOf(batch: Batch, summarize: BufferSummarizer): Promise<readonly BufferedSummary[]> {
  const made: BufferedSummary[] = [];
  for (const [user, messages] of groupBy(batch, userOf)) {
    const text = await summarize(messages);
    if (typeof text !== "string" || text.trim() === "")
      throw new RequestError("summary_failed", "Expected a text from the summarizer, got a blank one or none.");
    const [first, last] = [messages[0] as BufferedMessage, messages.at(-1) as BufferedMessage];
    made.push({ text, user, messages: messages.length, from: first.at, through: last.at });
  }
  return made;
}

function summaryFailed(waiting: number, cause: unknown): RequestError {
  return new RequestError(
    "summary_failed",
    `The oldest messages could not be summarized. ${waiting} messages wait for a summary. Call \`summarize()\` to try again; the buffer also tries again when more messages leave its window.`,
    { cause },
  );
}

/** Messages that left the window together, oldest first. */
type Batch = readonly BufferedMessage[];

/** Number of messages and of summaries that were dropped. */
export interface BufferDropCount {
  readonly messages: number;
  readonly summaries: number;
}

interface OverflowLedger {
  /** Messages without a summary yet, oldest first. */
  readonly waiting: readonly BufferedMessage[];
  /** The batch to summarize next. */
  readonly next: Batch | undefined;
  readonly summaries: readonly BufferedSummary[];
  readonly dropped: BufferDropCount;
  /** Adds a batch that waits for its summaries. If too many messages wait, drops the oldest batches. */
  add(batch: Batch): void;
  /** Replaces a batch by its summaries, even if the batch was dropped while they were made. */
  settle(batch: Batch, made: readonly BufferedSummary[]): void;
  /** Counts the messages of a batch as dropped. */
  drop(batch: Batch): void;
}

interface LedgerDeps {
  /** Maximum number of summaries, and maximum number of messages that wait for a summary. */
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
