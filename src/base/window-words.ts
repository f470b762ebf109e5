// Labels the parts of a window, for the terminal and the command line.
// Invariant: parts are listed in the order of the request, regardless of their order in a stored report.

const partNames: Readonly<Record<string, string>> = {
  tools: "tools",
  instructions: "instructions",
  coreMemory: "core memory",
  synopsis: "synopsis",
  openFiles: "open files",
  turn: "running turn",
  recentTurns: "last turns",
  summaries: "summaries",
  olderTurns: "older turns",
  retrieved: "retrieved",
};

/** Formats a number with thousands separators: `1,234`. */
export function numberText(value: number): string {
  return value.toLocaleString("en");
}

const windowSources: Readonly<Record<string, string>> = {
  setting: "set by you",
  server: "stated by its server",
  overflow: "named by an error of its server",
  default: "assumed, because its server states none",
};

/** Returns how a window's size is known, such as `stated by its server`; empty if the model itself defines it. */
export function windowSourceText(from: string | undefined): string {
  return windowSources[from ?? "model"] ?? "";
}

/** Returns one text per part that is not empty, such as `tools 1,200`. */
export function partTexts(parts: object): readonly string[] {
  const sizes = parts as Readonly<Record<string, number>>;
  return Object.entries(partNames).flatMap(([part, shown]) => {
    const size = sizes[part] ?? 0;
    return size === 0 ? [] : [`${shown} ${numberText(size)}`];
  });
}

/** Returns `40 earlier messages have left the window, replaced by 1 summary`. */
export function hiddenText({ messages, summaries }: { readonly messages: number; readonly summaries: number }): string {
  return `${numberText(messages)} earlier messages have left the window, replaced by ${summariesText(summaries)}`;
}

function summariesText(count: number): string {
  if (count === 0) return "no summary";
  return count === 1 ? "1 summary" : `${numberText(count)} summaries`;
}

const singular = { turns: "turn", summaries: "summary", result: "result", retrieved: "hit" } as const;

const plural = { turns: "turns", summaries: "summaries", result: "results", retrieved: "hits" } as const;

/** Content that was omitted from a request or cut. */
export interface Omission {
  readonly part: keyof typeof singular;
  readonly count: number;
  readonly tokens: number;
  readonly reason: string;
}

/** Returns `3 turns, 900 tokens: REASON`. */
export function omissionText({ part, count, tokens, reason }: Omission): string {
  return `${numberText(count)} ${count === 1 ? singular[part] : plural[part]}, ${numberText(tokens)} tokens: ${reason}`;
}

/** Returns the cached share of the input tokens, in percent. */
export function cachedPercent(usage: { readonly inputTokens: number; readonly cachedInputTokens: number }): number {
  const { inputTokens, cachedInputTokens } = usage;
  return inputTokens === 0 ? 0 : Math.round((100 * cachedInputTokens) / inputTokens);
}
