// Decides which messages a compaction takes out of the window.
// Invariant: pure; the oldest go first, a call stays with its result, and nothing of the running turn goes.
import type { AgentSettings, StoredMessage } from "../../memory/records.ts";
import type { CompactionNeed } from "./compaction-need.ts";

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
  /** What goes, of the tokens before the running turn: up to this share, but at least so many. */
  readonly share: number;
  readonly minTokens: number;
  readonly minMessages: number;
  /** Counted tokens of a message as it stands in the window. */
  readonly tokensOf: (message: StoredMessage) => number;
}

type Amounts = Pick<CompactionRules, "share" | "minTokens" | "minMessages">;

/** Share of the tokens that goes, as in MemGPT (0.75 of the tokens that are not the system message's). */
const evictedShare = 0.75;
/** A ring gives up little at a time, since each of its entries is short of a few messages only. */
const ringShare = 0.25;

/** The fewest that a summary is worth. */
const fewest = 2;

/** How much goes, by an agent's strategy. */
export function evictionRules(
  settings: Pick<AgentSettings, "compaction" | "compactMessages" | "ringBatch">,
  { cause, excess }: CompactionNeed,
  messages: number,
): Amounts {
  const { compaction, compactMessages, ringBatch } = settings;
  const tooMany = cause === "messages" ? messages - (compactMessages ?? messages) : 0;
  // Two at least: a first message that is longer than the share must not keep all others from going.
  if (compaction !== "ring") return { share: evictedShare, minTokens: excess, minMessages: Math.max(fewest, tooMany) };
  const minMessages = Math.max(ringBatch, tooMany);
  const share = { messages: 0, tokens: ringShare, overflow: evictedShare, asked: evictedShare }[cause];
  return { share, minTokens: excess, minMessages };
}

/** Null when fewer than two messages could go. */
export function planCompaction(
  messages: readonly StoredMessage[],
  { keepLast, turnId, ...rules }: CompactionRules,
): CompactionPlan | null {
  const turnStart = turnId === null ? -1 : messages.findIndex((message) => message.turnId === turnId);
  const end = turnStart < 0 ? messages.length : turnStart;
  const bound = Math.min(end, Math.max(0, messages.length - keepLast));
  // Keeping nothing is the last resort: then a message that is longer than all others together goes as well.
  const isLastResort = keepLast === 0;
  const cut = afterResults(messages, isLastResort ? bound : Math.min(bound, cutBy(messages.slice(0, end), rules)));
  if (cut < (isLastResort ? 1 : fewest) || cut > end) return null;
  return { evicted: messages.slice(0, cut), kept: messages.slice(cut) };
}

function cutBy(
  messages: readonly StoredMessage[],
  { share, minTokens, minMessages, tokensOf }: Amounts & Pick<CompactionRules, "tokensOf">,
): number {
  const sizes = messages.map(tokensOf);
  const maxTokens = share * sizes.reduce((sum, size) => sum + size, 0);
  let tokens = 0;
  let cut = 0;
  for (const size of sizes) {
    const isDue = tokens < minTokens || cut < minMessages;
    if (!isDue && tokens + size > maxTokens) break;
    tokens += size;
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
