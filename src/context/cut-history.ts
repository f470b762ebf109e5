// Cuts a history to its limits.
// Invariant: the newest messages are kept, without a gap, and never more than the limits allow; no more messages are
// read than necessary.

/** The result of `readLimits`. */
export interface CutLimits {
  readonly messages: number;
  readonly tokens: number;
}

export interface CutHistory<HistoryMessage> {
  /** Oldest first. */
  readonly messages: readonly (HistoryMessage & { readonly tokens: number })[];
  readonly tokens: number;
  /** True if nothing older was left out. */
  readonly isComplete: boolean;
}

/** Takes messages newest first. An unanswered user message at the end is left out. */
export async function cutHistory<HistoryMessage extends { readonly role: "user" | "assistant" }>(
  newestFirst: AsyncIterable<HistoryMessage> | Iterable<HistoryMessage>,
  limits: CutLimits,
  countTokens: (message: HistoryMessage) => number,
): Promise<CutHistory<HistoryMessage>> {
  const kept: (HistoryMessage & { readonly tokens: number })[] = [];
  let tokens = 0;
  for await (const message of newestFirst) {
    // An unanswered message is the question itself, not part of its history.
    if (kept.length === 0 && message.role === "user") continue;
    const cost = countTokens(message);
    if (kept.length === limits.messages || tokens + cost > limits.tokens) {
      return { messages: kept.reverse(), tokens, isComplete: false };
    }
    kept.push({ ...message, tokens: cost });
    tokens += cost;
  }
  return { messages: kept.reverse(), tokens, isComplete: true };
}
