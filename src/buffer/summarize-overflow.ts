// Has summaries made of what left the window of a message buffer, behind the back of whoever adds messages.
// Invariant: a batch waits until its summaries are there, so nothing is lost while a summarizer is slow or failing; one batch is
// summarized at a time.
import { RequestError } from "../errors.ts";
import { type BufferedMessage, type BufferedSummary, userOf } from "./buffered-message.ts";
import type { Batch, OverflowLedger } from "./pending-summaries.ts";

/** Puts messages of one user, oldest first, into one text. */
export type BufferSummarizer = (messages: readonly BufferedMessage[]) => Promise<string>;

export interface Overflow extends Pick<OverflowLedger, "waiting" | "summaries" | "dropped"> {
  /** Why the last try gave no summary; null after one that did. */
  readonly failure: RequestError | null;
  /** Takes in what left the window, and begins to summarize it. */
  add(batch: Batch): void;
  /** Summarizes all that waits. Throws RequestError `summary_failed`; what was not summarized goes on waiting. */
  summarize(): Promise<void>;
}

export interface OverflowDeps {
  readonly ledger: OverflowLedger;
  /** Null: what leaves the window is dropped; what waited before goes on waiting. */
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

/** One for each user of the batch: a summary of several would tell one of them what another has said. */
async function summariesOf(batch: Batch, summarize: BufferSummarizer): Promise<readonly BufferedSummary[]> {
  const made: BufferedSummary[] = [];
  for (const [user, messages] of byUser(batch)) {
    const text = await summarize(messages);
    if (typeof text !== "string" || text.trim() === "") throw blankSummary();
    const [first, last] = [messages[0] as BufferedMessage, messages.at(-1) as BufferedMessage];
    made.push({ text, user, messages: messages.length, from: first.at, through: last.at });
  }
  return made;
}

function byUser(batch: Batch): ReadonlyMap<string | null, Batch> {
  const groups = new Map<string | null, BufferedMessage[]>();
  for (const message of batch) {
    const user = userOf(message);
    const group = groups.get(user);
    if (group === undefined) groups.set(user, [message]);
    else group.push(message);
  }
  return groups;
}

function blankSummary(): RequestError {
  return new RequestError("summary_failed", "Expected a text from the summarizer, got a blank one or none.");
}

function summaryFailed(waiting: number, cause: unknown): RequestError {
  return new RequestError(
    "summary_failed",
    `The oldest messages could not be summarized. ${waiting} of them wait, and are tried again with the next overflow or by \`summarize()\`.`,
    { cause },
  );
}
