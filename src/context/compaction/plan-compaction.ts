// Decides which messages a compaction evicts from the window, and which of a ring's oldest summaries (entries) are merged.
// Invariant: pure; the oldest messages are evicted first, in whole turns, and the running turn is never evicted; the
// messages of the newest merged entry are always read again, so that no summary is made of summaries only.
import type { AgentSettings, StoredMessage, CompactionRecord } from "../../store/port/records.ts";
import { endOfTurn, sumOf } from "../window/window-turns.ts";

export interface CompactionNeed {
  /**
   * Why messages are evicted. `tokens`, `messages`: a limit is exceeded; `overflow`: the request is too long for the
   * provider; `asked`: the user requested it.
   */
  readonly cause: "tokens" | "messages" | "overflow" | "asked";
  /** Minimum counted tokens to evict. */
  readonly excess: number;
}

export interface CompactionPlan {
  /** Messages to summarize, oldest first; at least two. */
  readonly evicted: readonly StoredMessage[];
  readonly kept: readonly StoredMessage[];
}

export interface CompactionRules {
  /** Number of newest messages to keep. */
  readonly keepLast: number;
  /** The running turn, if any. */
  readonly turnId: string | null;
  /** What is evicted: at most `share` of the tokens before the running turn, but at least `minTokens` and `minMessages`. */
  readonly share: number;
  readonly minTokens: number;
  readonly minMessages: number;
  /**
   * Maximum tokens in one request to the summarizer. If `share` needs several requests, the tokens to evict are rounded down
   * to full requests, so that no request is made for a small rest.
   */
  readonly batchTokens: number;
  /** Counted tokens of a message in the window. */
  readonly tokensOf: (message: StoredMessage) => number;
}

/** Share of the tokens to evict: 0.75, as in MemGPT, which does not count the system message. */
const evictedShare = 0.75;
/** Share of the tokens to evict for the strategy `ring`, whose summaries each cover only a few messages. */
const ringShare = 0.25;

/** Minimum number of messages that a summary replaces. */
const minSummaryMessages = 2;

/** Returns the eviction limits for the agent's compaction strategy. */
export function evictionRules(
  settings: Pick<AgentSettings, "compaction" | "compactMessages" | "ringBatch">,
  { cause, excess }: CompactionNeed,
  messages: number,
): Pick<CompactionRules, "share" | "minTokens" | "minMessages"> {
  const { compaction, compactMessages, ringBatch } = settings;
  const tooMany = cause === "messages" ? messages - (compactMessages ?? messages) : 0;
  // At least two messages are evicted: otherwise, a first message that alone exceeds the share would prevent every eviction.
  if (compaction !== "ring")
    return { share: evictedShare, minTokens: excess, minMessages: Math.max(minSummaryMessages, tooMany) };
  const minMessages = Math.max(ringBatch, tooMany);
  const share = { messages: 0, tokens: ringShare, overflow: evictedShare, asked: evictedShare }[cause];
  return { share, minTokens: excess, minMessages };
}

/** Returns the messages to evict and to keep; null if fewer than two messages can be evicted. */
export function planCompaction(
  messages: readonly StoredMessage[],
  { keepLast, turnId, ...rules }: CompactionRules,
): CompactionPlan | null {
  const turnStart = turnId === null ? -1 : messages.findIndex((message) => message.turnId === turnId);
  const end = turnStart < 0 ? messages.length : turnStart;
  const bound = Math.min(end, Math.max(0, messages.length - keepLast));
  const ends = turnEnds(messages).filter((at) => at <= bound);
  // With `keepLast` 0, the last resort, all turns before the running one are evicted, however long they are.
  const isLastResort = keepLast === 0;
  const cut = isLastResort ? (ends.at(-1) ?? 0) : cutBy(messages.slice(0, end), ends, rules);
  if (cut < (isLastResort ? 1 : minSummaryMessages)) return null;
  return { evicted: messages.slice(0, cut), kept: messages.slice(cut) };
}

/** Returns the number of messages to evict, which are always whole turns; 0 if no turn can be evicted. */
function cutBy(
  messages: readonly StoredMessage[],
  ends: readonly number[],
  { share, minTokens, minMessages, batchTokens, tokensOf }: Omit<CompactionRules, "keepLast" | "turnId">,
): number {
  const sizes = messages.map(tokensOf);
  const maxTokens = wholeBatches(share * sumOf(sizes), batchTokens);
  let tokens = 0;
  let cut = 0;
  for (const end of ends) {
    const size = sumOf(sizes.slice(cut, end));
    const isDue = tokens < minTokens || cut < minMessages;
    if (!isDue && tokens + size > maxTokens) break;
    tokens += size;
    cut = end;
  }
  return cut;
}

function wholeBatches(tokens: number, batchTokens: number): number {
  return tokens < batchTokens ? tokens : Math.floor(tokens / batchTokens) * batchTokens;
}

/** Returns, for each turn, the index after its last message. */
function turnEnds(messages: readonly StoredMessage[]): readonly number[] {
  const ends: number[] = [];
  for (let end = 0; end < messages.length; ) {
    end = endOfTurn(messages, end);
    ends.push(end);
  }
  return ends;
}

/** A summary in a ring, with its tokens. */
export interface RingEntry
  extends Pick<CompactionRecord, "summary" | "fromPosition" | "throughPosition" | "rangeTokens"> {
  readonly summaryTokens: number;
}

export interface MergePlan<Entry> {
  /** The oldest entries of the ring, oldest first; at least two. */
  readonly merged: readonly Entry[];
  /** The newest of the merged entries: the merge summarizes their messages again. For the others, it uses their summaries. */
  readonly reread: readonly Entry[];
}

interface MergeRules {
  /** Maximum number of entries in the ring, and maximum tokens of their summaries. */
  readonly maxEntries: number;
  readonly maxTokens: number;
  /** Maximum tokens of the messages that a merge reads again, so that they fit into one request. */
  readonly batchTokens: number;
}

/** A merge leaves at most `maxEntries / keptEntries` entries unmerged, with at most `maxTokens / keptTokens` tokens. */
const keptEntries = 2;
const keptTokens = 4;

/** Returns which entries of a ring to merge; null while the ring is within its limits. */
export function planMerge<Entry extends RingEntry>(
  entries: readonly Entry[],
  { maxEntries, maxTokens, batchTokens }: MergeRules,
): MergePlan<Entry> | null {
  if (entries.length < 2) return null;
  if (entries.length <= maxEntries && tokensOf(entries) <= maxTokens) return null;
  let count = 2;
  const isTooMuch = (rest: readonly Entry[]) =>
    rest.length > maxEntries / keptEntries || tokensOf(rest) > maxTokens / keptTokens;
  while (isTooMuch(entries.slice(count))) count += 1;
  const merged = entries.slice(0, count);
  return { merged, reread: merged.slice(firstReread(merged, batchTokens)) };
}

function firstReread(merged: readonly RingEntry[], batchTokens: number): number {
  let first = merged.length - 1;
  let tokens = merged[first]?.rangeTokens ?? 0;
  while (first > 0 && tokens + (merged[first - 1]?.rangeTokens ?? 0) <= batchTokens) {
    first -= 1;
    tokens += merged[first]?.rangeTokens ?? 0;
  }
  return first;
}

function tokensOf(entries: readonly RingEntry[]): number {
  return entries.reduce((sum, { summaryTokens }) => sum + summaryTokens, 0);
}
