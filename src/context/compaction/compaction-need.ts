// Whether older messages have to leave the window, and how much has to go.
// Invariant: pure; the same window and settings give the same answer.
import type { AgentSettings } from "../../memory/records.ts";

export interface CompactionNeed {
  /** Too many tokens, too many messages, a provider that says so, or a person who asked. */
  readonly cause: "tokens" | "messages" | "overflow" | "asked";
  /** Counted tokens that have to go at least. */
  readonly excess: number;
}

export interface WindowLoad {
  /** Messages in the window. */
  readonly messages: number;
  /** Counted tokens of the whole request, and the most that it may have. */
  readonly tokens: number;
  readonly maxTokens: number;
}

/** Null while everything may stay. Tokens come first: only they can keep a request from being sent. */
export function compactionNeed(
  { messages, tokens, maxTokens }: WindowLoad,
  { compactMessages }: Pick<AgentSettings, "compactMessages">,
): CompactionNeed | null {
  const excess = Math.max(0, tokens - maxTokens);
  if (excess > 0) return { cause: "tokens", excess };
  return compactMessages !== null && messages > compactMessages ? { cause: "messages", excess: 0 } : null;
}
