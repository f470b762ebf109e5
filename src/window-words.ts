// What the parts of a window are called, for people: in the terminal and on the command line.
// Invariant: parts are told in the order of the request, whatever order a stored report has them in.

const partNames: Readonly<Record<string, string>> = {
  tools: "tools",
  instructions: "instructions",
  coreMemory: "core memory",
  synopsis: "synopsis",
  changes: "end of request",
  turn: "running turn",
  recentTurns: "last turns",
  summaries: "summaries",
  olderTurns: "older turns",
  retrieved: "looked up",
};

/** `1,234`. */
export function numberText(value: number): string {
  return value.toLocaleString("en");
}

/** `tools 1,200`, one for each part that has any tokens. */
export function partTexts(parts: object): readonly string[] {
  const sizes = parts as Readonly<Record<string, number>>;
  return Object.entries(partNames).flatMap(([part, shown]) => {
    const size = sizes[part] ?? 0;
    return size === 0 ? [] : [`${shown} ${numberText(size)}`];
  });
}

/** `40 earlier messages have left the window; in their place: 1 summary`. */
export function hiddenText({ messages, summaries }: { readonly messages: number; readonly summaries: number }): string {
  return `${numberText(messages)} earlier messages have left the window; in their place: ${summariesText(summaries)}`;
}

function summariesText(count: number): string {
  if (count === 0) return "no summary";
  return count === 1 ? "1 summary" : `${numberText(count)} summaries`;
}

const singular = { turns: "turn", summaries: "summary", result: "result", retrieved: "hit" } as const;

const plural = { turns: "turns", summaries: "summaries", result: "results", retrieved: "hits" } as const;

/** Something that the model was not sent, or not whole. */
export interface Omission {
  readonly part: keyof typeof singular;
  readonly count: number;
  readonly tokens: number;
  readonly reason: string;
}

/** `3 turns, 900 tokens: older than what the budget has room for`. */
export function omissionText({ part, count, tokens, reason }: Omission): string {
  return `${numberText(count)} ${count === 1 ? singular[part] : plural[part]}, ${numberText(tokens)} tokens: ${reason}`;
}

/** Percent of the input that the provider had in its cache. */
export function cachedPercent(usage: { readonly inputTokens: number; readonly cachedInputTokens: number }): number {
  const { inputTokens, cachedInputTokens } = usage;
  return inputTokens === 0 ? 0 : Math.round((100 * cachedInputTokens) / inputTokens);
}
