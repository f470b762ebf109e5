// Decides whether older messages have to leave the window, and how many tokens.
// Invariant: pure; the same window and settings give the same result.
import type { AgentSettings } from "../../memory/records.ts";

export interface CompactionNeed {
  /**
   * `tokens` or `messages`: over a limit; `overflow`: the provider reported one; `asked`: the user requested a
   * compaction.
   */
  readonly cause: "tokens" | "messages" | "overflow" | "asked";
  /** Minimum counted tokens to evict. */
  readonly excess: number;
}

export interface WindowLoad {
  /** Messages in the window. */
  readonly messages: number;
  /** Counted tokens of the whole request, and their maximum. */
  readonly tokens: number;
  readonly maxTokens: number;
}

/** Returns null if nothing has to leave. Tokens are checked first: only they can prevent a request. */
export function compactionNeed(
  { messages, tokens, maxTokens }: WindowLoad,
  { compactMessages }: Pick<AgentSettings, "compactMessages">,
): CompactionNeed | null {
  const excess = Math.max(0, tokens - maxTokens);
  if (excess > 0) return { cause: "tokens", excess };
  return compactMessages !== null && messages > compactMessages ? { cause: "messages", excess: 0 } : null;
}
