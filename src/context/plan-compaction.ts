// Decides which messages a compaction takes out of the window.
// Invariant: pure; the oldest go first, a call stays with its result, and nothing of the running turn goes.
import type { StoredMessage } from "../memory/records.ts";

export interface CompactionPlan {
  /** To be summarized, oldest first; at least two. */
  readonly evicted: readonly StoredMessage[];
  readonly kept: readonly StoredMessage[];
}

export interface CompactionRules {
  /** Messages that stay, counted from the end. */
  readonly keepLast: number;
  /** The turn that is running, if any. */
  readonly turnId: string | null;
}

/** Share of the tokens that goes, as in MemGPT (0.75 of the tokens that are not the system message's). */
const evictedShare = 0.75;

/** Null when fewer than two messages could go. */
export function planCompaction(
  messages: readonly StoredMessage[],
  { keepLast, turnId }: CompactionRules,
): CompactionPlan | null {
  const turnStart = turnId === null ? -1 : messages.findIndex((message) => message.turnId === turnId);
  const end = turnStart < 0 ? messages.length : turnStart;
  const bound = Math.min(end, Math.max(0, messages.length - keepLast));
  // Keeping nothing is the last resort: then a message that is longer than all others together goes as well.
  const isLastResort = keepLast === 0;
  const cut = afterResults(messages, isLastResort ? bound : Math.min(bound, shareCut(messages)));
  if (cut < (isLastResort ? 1 : 2) || cut > end) return null;
  return { evicted: messages.slice(0, cut), kept: messages.slice(cut) };
}

function shareCut(messages: readonly StoredMessage[]): number {
  const budget = evictedShare * messages.reduce((sum, message) => sum + message.tokens, 0);
  let tokens = 0;
  let cut = 0;
  for (const message of messages) {
    tokens += message.tokens;
    if (tokens > budget) break;
    cut += 1;
  }
  return cut;
}

// A kept thread must not begin with a result whose call is gone.
function afterResults(messages: readonly StoredMessage[], cut: number): number {
  let moved = cut;
  while (messages[moved]?.role === "tool") moved += 1;
  return moved;
}
