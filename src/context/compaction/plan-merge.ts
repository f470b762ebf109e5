// Decides which of a ring's oldest entries are merged, and for which of them the original messages are read again.
// Invariant: pure; the messages of the newest merged entry are always read again, so that no summary is made of
// summaries only.
import type { CompactionRecord } from "../../store/port/records.ts";

/** An entry of the ring, with the tokens of its summary. */
export interface RingEntry
  extends Pick<CompactionRecord, "summary" | "fromPosition" | "throughPosition" | "rangeTokens"> {
  readonly summaryTokens: number;
}

export interface MergePlan<Entry> {
  /** The oldest entries of the ring, oldest first; at least two. */
  readonly merged: readonly Entry[];
  /** The last of the merged entries, whose messages are read again; for the others, their summaries are used. */
  readonly reread: readonly Entry[];
}

export interface MergeRules {
  /** Maximum entries and tokens of the ring. */
  readonly maxEntries: number;
  readonly maxTokens: number;
  /** Maximum tokens of messages that one request reads again. */
  readonly batchTokens: number;
}

/** Maximum kept besides the merged entry: half of the entries, and a quarter of the tokens. */
const keptEntries = 2;
const keptTokens = 4;

/** Returns null while the ring is within its limits. */
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
