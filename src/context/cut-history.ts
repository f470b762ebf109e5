// Cuts a history to its limits.
// Invariant: the newest messages are kept, without a gap, and never more than the limits allow; no more messages are
// read than necessary.

/** The result of `readLimits`. */
export interface CutLimits {
  readonly messages: number;
  readonly tokens: number;
}

export interface CutHistory<Said> {
  /** Oldest first. */
  readonly messages: readonly (Said & { readonly tokens: number })[];
  readonly tokens: number;
  /** True if nothing older was left out. */
  readonly isComplete: boolean;
}

/** Takes messages newest first. An unanswered user message at the end is left out. */
export async function cutHistory<Said extends { readonly role: "user" | "assistant" }>(
  newestFirst: AsyncIterable<Said> | Iterable<Said>,
  limits: CutLimits,
  countTokens: (message: Said) => number,
): Promise<CutHistory<Said>> {
  const kept: (Said & { readonly tokens: number })[] = [];
  let tokens = 0;
  for await (const said of newestFirst) {
    // An unanswered message is the question itself, not part of its history.
    if (kept.length === 0 && said.role === "user") continue;
    const cost = countTokens(said);
    if (kept.length === limits.messages || tokens + cost > limits.tokens) {
      return { messages: kept.reverse(), tokens, isComplete: false };
    }
    kept.push({ ...said, tokens: cost });
    tokens += cost;
  }
  return { messages: kept.reverse(), tokens, isComplete: true };
}
