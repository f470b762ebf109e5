// Cuts what was said to the limits of a history.
// Invariant: the newest messages stay, without a gap, and never more than the limits allow; no more is read than that takes.

/** As `readLimits` gives them. */
export interface CutLimits {
  readonly messages: number;
  readonly tokens: number;
}

export interface CutHistory<Said> {
  /** Oldest first. */
  readonly messages: readonly (Said & { readonly tokens: number })[];
  readonly tokens: number;
  /** Nothing older was left out. */
  readonly isComplete: boolean;
}

/** From what was said, newest first. A message of the user's at the end that nobody has answered is left out. */
export async function cutHistory<Said extends { readonly role: "user" | "assistant" }>(
  newestFirst: AsyncIterable<Said> | Iterable<Said>,
  limits: CutLimits,
  countTokens: (message: Said) => number,
): Promise<CutHistory<Said>> {
  const kept: (Said & { readonly tokens: number })[] = [];
  let tokens = 0;
  for await (const said of newestFirst) {
    // It is the question, and not its history.
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
